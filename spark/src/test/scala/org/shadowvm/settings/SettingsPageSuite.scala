// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class SettingsPageSuite extends AnyFunSuite {
  private val page = Path.of(System.getProperty("shadowvm.root"), "docs", "settings.md")

  test("docs/settings.md is what the code says (SHADOWVM_UPDATE_GOLDENS=1 writes it anew)") {
    if (sys.env.contains("SHADOWVM_UPDATE_GOLDENS")) Files.writeString(page, SettingsPage.text)
    assert(Files.readString(page) == SettingsPage.text)
  }

  test("every setting is explained") {
    for (setting <- KnownSettings.All) {
      assert(setting.doc.endsWith("."), setting.key)
      assert(setting.key.startsWith(KnownSettings.Prefix))
    }
  }
}
