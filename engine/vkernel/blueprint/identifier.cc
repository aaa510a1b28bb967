// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/identifier.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "engine/kernels/embedded.h"

namespace shadowvm::vkernel {
namespace {

using Words = std::set<std::string, std::less<>>;

// Words of C++ that the headers need not hold, macros of compilers, and the locals of kernels and
// of the loops they are written with.
constexpr std::string_view kWords[] = {"alignas",
                                       "bool",
                                       "char",
                                       "char16_t",
                                       "char32_t",
                                       "const",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "const_cast",
                                       "double",
                                       "else",
                                       "for",
                                       "if",
                                       "reinterpret_cast",
                                       "return",
                                       "short",
                                       "sizeof",
                                       "static_assert",
                                       "static_cast",
                                       "template",
                                       "thread_local",
                                       "void",
                                       "while",
                                       "override",
                                       "final",
                                       "import",
                                       "module",
                                       "j",
                                       "p",
                                       "t",
                                       "step",
                                       "svm_at",
                                       "svm_count",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "asm",
                                       "auto",
                                       "bitand",
                                       "bitor",
                                       "break",
                                       "case",
                                       "catch",
                                       "char8_t",
                                       "class",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "compl",
                                       "concept",
                                       "continue",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "dynamic_cast",
                                       "enum",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "friend",
                                       "goto",
                                       "inline",
                                       "int",
                                       "linux",
                                       "long",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "private",
                                       "public",
                                       "protected",
                                       "register",
                                       "requires",
                                       "signed",
                                       "static",
                                       "struct",
                                       "switch",
                                       "this",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "union",
                                       "unix",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "volatile",
                                       "wchar_t",
                                       "xor",
                                       "xor_eq",
                                       "call",
                                       "count",
                                       "decided",
                                       "dense",
                                       "e",
                                       "expansion",
                                       "found",
                                       "g",
                                       "group",
                                       "i",
                                       "keep",
                                       "keys",
                                       "list",
                                       "literal",
                                       "match",
                                       "null",
                                       "null_key",
                                       "nulls",
                                       "out",
                                       "rows",
                                       "valid"};

bool IsLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// What a header declares: words before a bracket, and words after one that declares.
void CollectWords(std::string_view text, Words* words) {
  std::string_view before;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (IsLetter(text[at])) {
      const size_t start = at;
      while (at < text.size() && IsLetter(text[at])) ++at;
      const std::string_view word = text.substr(start, at - start);
      const bool opens =
          at < text.size() && std::string_view("(<{").find(text[at]) != std::string_view::npos;
      const bool declared = before == "using" || before == "struct" || before == "class" ||
                            before == "enum" || before == "namespace" || before == "define";
      const bool constant = word.size() > 1 && word[0] == 'k' &&
                            std::isupper(static_cast<unsigned char>(word[1])) != 0;
      if (opens || declared || constant) words->emplace(word);
      before = word;
    } else {
      ++at;
    }
  }
}

const Words& ReservedWords() {
  static const Words* const words = [] {
    auto* made = new Words(std::begin(kWords), std::end(kWords));
    for (const auto& header : kernels::EmbeddedHeaders()) CollectWords(header.text, made);
    return made;
  }();
  return *words;
}

// out_3, e1, date_row, probe_match: how renderers name what belongs to something else.
bool LooksGenerated(std::string_view name) {
  for (const std::string_view end : {"_row", "_match", "_null"}) {
    if (name.ends_with(end)) return true;
  }
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return false;
  return name[digits - 1] == '_' || name.substr(0, digits) == "e";
}

}  // namespace

std::string IdentifierFor(std::string_view name) {
  std::string text(name);
  std::replace_if(text.begin(), text.end(), [](char c) { return !IsLetter(c); }, '_');
  if (text.empty() || IsDigit(text[0]) || text[0] == '_') text.insert(0, "c_");
  const bool taken = ReservedWords().contains(text) || LooksGenerated(text);
  return taken ? text + "_c" : text;
}

}  // namespace shadowvm::vkernel
