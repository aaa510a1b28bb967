// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>

namespace shadowvm::vkernel {

// Lines of generated text, indented by nesting: nesting in the generator looks like nesting in the
// output.
class TextBuilder {
 public:
  void Line(std::string_view text = {}) {
    if (!text.empty()) text_.append(2 * depth_, ' ').append(text);
    text_ += '\n';
  }

  // Writes "<head> {" and, when it goes out of scope, "}".
  class Block {
   public:
    Block(TextBuilder* out, std::string_view head) : out_(out) {
      out_->Line(head.empty() ? "{" : std::string(head) + " {");
      ++out_->depth_;
    }
    ~Block() {
      --out_->depth_;
      out_->Line("}");
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    TextBuilder* out_;
  };

  // An empty text at the same depth as this one, plus one.
  TextBuilder Nested() const {
    TextBuilder nested;
    nested.depth_ = depth_ + 1;
    return nested;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

}  // namespace shadowvm::vkernel
