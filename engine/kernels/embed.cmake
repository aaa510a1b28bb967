# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# cmake -DOUTPUT=file.cc -DROOT=folder -DHEADERS=a.h;b.h -P embed.cmake
# Writes a source file that holds the texts of the headers; paths are as generated code includes them.
set(entries "")
set(all "")
foreach(header IN LISTS HEADERS)
  file(READ "${ROOT}/${header}" text)
  if(text MATCHES "\\)svm_header\"")
    message(FATAL_ERROR "${header} holds the delimiter of the embedding")
  endif()
  string(APPEND entries "    {\"${header}\", R\"svm_header(${text})svm_header\"},\n")
  string(APPEND all "${header}\n${text}\n")
endforeach()
string(SHA256 hash "${all}")
file(WRITE "${OUTPUT}" "// Generated from engine/kernels. Do not edit.
#include \"engine/kernels/embedded.h\"

#include <array>

namespace shadowvm::kernels {
namespace {
// One empty entry at the end keeps the array valid when there is no header.
constexpr EmbeddedHeader kHeaders[] = {
${entries}    {\"\", \"\"},
};
}  // namespace

std::span<const EmbeddedHeader> EmbeddedHeaders() {
  return std::span<const EmbeddedHeader>(kHeaders).first(std::size(kHeaders) - 1);
}

std::string_view EmbeddedHash() { return \"${hash}\"; }
}  // namespace shadowvm::kernels
")
