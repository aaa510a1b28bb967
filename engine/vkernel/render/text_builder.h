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

  // Writes "<head> {" and, when it goes out of scope, "}". An else follows its if on one line; a
  // loop over rows with a single short statement becomes one line.
  class Block {
   public:
    Block(TextBuilder* out, std::string_view head)
        : out_(*out), start_(out->text_.size()), is_loop_(head.starts_with("SVM_EACH_ROW")) {
      const std::string indent(2 * out_.depth_, ' ');
      const std::string end = indent + "}\n";
      const bool joins = head.starts_with("else") && out_.text_.ends_with(end);
      if (joins) out_.text_.resize(out_.text_.size() - 1);
      out_.text_ += (joins ? " " : indent) + std::string(head) + (head.empty() ? "{\n" : " {\n");
      body_ = out_.text_.size();
      ++out_.depth_;
    }
    ~Block() {
      --out_.depth_;
      if (!is_loop_ || !BecomeLine()) out_.Line("}");
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    static constexpr size_t kMostColumns = 100;

    bool BecomeLine() {
      std::string& text = out_.text_;
      const size_t length =
          text.size() - start_ - std::string_view("{\n  ").size() - 2 * out_.depth_;
      const bool single = text.find('\n', body_) + 1 == text.size();
      if (!single || length > kMostColumns + 1 || text.ends_with("}\n")) return false;
      const std::string statement = text.substr(body_ + 2 * (out_.depth_ + 1));
      text.resize(body_ - std::string_view("{\n").size());
      text += statement;
      return true;
    }

    TextBuilder& out_;
    size_t start_;
    size_t body_ = 0;
    bool is_loop_;
  };

  // Lines between its making and its end lie one deeper.
  class Indent {
   public:
    Indent(TextBuilder* out, std::string_view head) : out_(*out) {
      out_.Line(head);
      ++out_.depth_;
    }
    ~Indent() { --out_.depth_; }
    Indent(const Indent&) = delete;
    Indent& operator=(const Indent&) = delete;

   private:
    TextBuilder& out_;
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
