// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/trace_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace shadowvm::schedule {
namespace {

using Json = nlohmann::ordered_json;

// The card and a worker may have the same number.
int ThreadOf(const Trace::Event& event) { return event.side == Side::kGpu ? 0 : event.lane + 1; }

std::string ThreadName(int thread) {
  return thread == 0 ? "gpu" : "cpu " + std::to_string(thread - 1);
}

Json Metadata(const char* kind, int process, int thread, const std::string& name) {
  return {
      {"name", kind}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

std::string UnitsText(const Trace::Event& event) {
  std::string text =
      "units " + std::to_string(event.units.begin) + " to " + std::to_string(event.units.end - 1);
  if (event.again) text += ", again";
  if (!event.counts) text += ", not counted";
  return text;
}

Json ToJson(const Trace::Event& event, int process) {
  return {{"name", UnitsText(event)},
          {"cat", NameOf(event.side)},
          {"ph", "X"},
          {"ts", event.begin_ms * 1e3},
          {"dur", (event.end_ms - event.begin_ms) * 1e3},
          {"pid", process},
          {"tid", ThreadOf(event)},
          {"args",
           {{"first", event.units.begin},
            {"units", event.units.size()},
            {"again", event.again},
            {"counts", event.counts}}}};
}

std::set<int> ThreadsOf(const Trace& trace) {
  std::set<int> threads;
  for (const Trace::Event& event : trace.events) threads.insert(ThreadOf(event));
  return threads;
}

// --- drawing ---

constexpr int kLaneHeight = 14;
constexpr int kTitleHeight = 28;
constexpr int kLeft = 60;
constexpr int kWidth = 1000;

template <typename... Values>
std::string Format(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

const char* ColourOf(const Trace::Event& event) {
  if (!event.counts) return "#bbbbbb";
  if (event.again) return "#d9534f";
  return event.side == Side::kGpu ? "#4c9f38" : "#3a78b5";
}

std::string DrawEvent(const Trace::Event& event, double per_ms, int y) {
  const double width = std::max((event.end_ms - event.begin_ms) * per_ms, 0.3);
  return Format("<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" ",
                kLeft + event.begin_ms * per_ms, y + 1, width, kLaneHeight - 2, ColourOf(event)) +
         "stroke=\"white\" stroke-width=\"0.3\"><title>" +
         Format("%.3f to %.3f ms: ", event.begin_ms, event.end_ms) + UnitsText(event) +
         "</title></rect>\n";
}

std::string DrawTrace(const QueryTrace& one, int* y) {
  const Trace& trace = one.trace;
  const double per_ms = kWidth / std::max(trace.milliseconds, 1e-6);
  *y += kTitleHeight;
  std::string text =
      Format("<text x=\"4\" y=\"%d\" font-weight=\"bold\">", *y - 8) +
      Escape(one.query + " · " + trace.title + " · " + trace.policy) +
      Format(" · %.3f ms · %lld units, %lld again</text>\n", trace.milliseconds,
             static_cast<long long>(trace.num_units), static_cast<long long>(trace.units_again));
  for (const int thread : ThreadsOf(trace)) {
    text += Format("<text x=\"4\" y=\"%d\">%s</text>\n", *y + kLaneHeight - 3,
                   ThreadName(thread).c_str());
    for (const Trace::Event& event : trace.events) {
      if (ThreadOf(event) == thread) text += DrawEvent(event, per_ms, *y);
    }
    *y += kLaneHeight;
  }
  return text;
}

}  // namespace

Json ToChromeTrace(const std::vector<QueryTrace>& traces) {
  Json events = Json::array();
  int process = 0;
  for (const QueryTrace& one : traces) {
    ++process;
    events.push_back(Metadata("process_name", process, 0,
                              one.query + ": " + one.trace.title + " (" + one.trace.policy + ")"));
    for (const int thread : ThreadsOf(one.trace)) {
      events.push_back(Metadata("thread_name", process, thread, ThreadName(thread)));
    }
    for (const Trace::Event& event : one.trace.events) events.push_back(ToJson(event, process));
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

std::string ToSvg(const std::vector<QueryTrace>& traces) {
  int y = 0;
  std::string body;
  for (const QueryTrace& one : traces) body += DrawTrace(one, &y);
  return Format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ",
                kLeft + kWidth + 10, y + 10) +
         "font-family=\"sans-serif\" font-size=\"11\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + "</svg>\n";
}

std::string TraceText(const std::vector<QueryTrace>& traces, const std::string& path) {
  constexpr std::string_view kDrawing = ".svg";
  return path.ends_with(kDrawing) ? ToSvg(traces) : ToChromeTrace(traces).dump(1) + "\n";
}

}  // namespace shadowvm::schedule
