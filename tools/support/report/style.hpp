#pragma once

#include <string_view>

namespace gas::tools::report {

/// How a page looks: in the colours that the reader prefers, on screens of any width. s0 to s5 are
/// the colours of series, which differ by their dashes, too. Text is at least 4.5 times as bright
/// or dark as its ground, lines 3 times.
constexpr std::string_view style = R"(
:root { --ground: #ffffff; --ink: #1b1f24; --soft: #55606e; --rule: #d5dae1; --panel: #f3f5f8;
  --link: #0a58a8; --c0: #0b62a8; --c1: #b3400f; --c2: #1d7a3c; --c3: #8a2b8f; --c4: #6b5900;
  --c5: #4a5568; --deep: 45%; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181d; --ink: #e8ebef; --soft: #a9b4c1; --rule: #39424d; --panel: #1d232a;
    --link: #7dbbf5; --c0: #6db3f2; --c1: #f0a35e; --c2: #7fd093; --c3: #d99ae0; --c4: #d8c45a;
    --c5: #b6c0cc; --deep: 40%; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem; max-width: 66rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; padding-top: .5rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--link); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: 0; }
nav a { display: inline-block; padding: .2rem 0; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible, input:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 .35rem; }
th, td { overflow-wrap: normal; text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0;
  border-bottom: 1px solid var(--rule); }
thead th { color: var(--soft); font-weight: 600; }
tbody th { font-weight: 500; }
th.n, td.n { text-align: right; }
td.n, data { white-space: nowrap; }
tbody th { min-width: 5rem; overflow-wrap: anywhere; }
td:not(.n) { overflow-wrap: anywhere; min-width: 5rem; }
code { font: .9em ui-monospace, monospace; }
figure { display: inline-block; vertical-align: top; width: 100%; max-width: 31rem;
  margin: .5rem 1rem .5rem 0; }
figcaption { font-weight: 600; }
figure > svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.grid { stroke: var(--rule); } .even { stroke: var(--soft); stroke-dasharray: 4 4; }
.line { fill: none; stroke-width: 2.25; stroke-linejoin: round; }
polyline.s0, line.s0 { stroke: var(--c0); }
polyline.s1, line.s1 { stroke: var(--c1); stroke-dasharray: 7 3; }
polyline.s2, line.s2 { stroke: var(--c2); stroke-dasharray: 2 3; }
polyline.s3, line.s3 { stroke: var(--c3); stroke-dasharray: 9 3 2 3; }
polyline.s4, line.s4 { stroke: var(--c4); stroke-dasharray: 4 2; }
polyline.s5, line.s5 { stroke: var(--c5); stroke-dasharray: 1 4; }
.dot.s0 { fill: var(--c0); } .dot.s1 { fill: var(--c1); } .dot.s2 { fill: var(--c2); }
.dot.s3 { fill: var(--c3); } .dot.s4 { fill: var(--c4); } .dot.s5 { fill: var(--c5); }
.place { fill: var(--c0); fill-opacity: .3; stroke: var(--c0); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0;
  margin: .25rem 0; }
.legend svg { width: 30px; height: 10px; }
.bar { display: block; position: relative; min-width: 7rem; width: 12rem; max-width: 30vw;
  height: .8rem; margin-top: .35rem; background: var(--panel); }
.bar i { position: absolute; top: 0; bottom: 0; background: var(--c0); }
.bar i.s1 { background: var(--c1); } .bar i.s2 { background: var(--c2); }
.bar i.s3 { background: var(--c3); } .bar.sides { border-left: 0; }
.heat { display: block; padding: 0 .35rem;
  background: color-mix(in srgb, var(--c0) calc(var(--h) * var(--deep)), transparent); }
.centre { width: 5.5rem; height: 5.5rem; image-rendering: pixelated; background: #000; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--link); }
.notice { border-left: .3rem solid var(--c1); padding: .25rem .75rem; background: var(--panel); }
.topics { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
  gap: .75rem; padding: 0; margin: .75rem 0; }
.topic { background: var(--panel); padding: .6rem .8rem; }
.topic h3 { margin: 0 0 .25rem; } .topic p { margin: .25rem 0; color: var(--soft); }
.words { list-style: none; display: flex; flex-wrap: wrap; align-items: baseline; padding: 0;
  gap: 0 .6rem; margin: 0; line-height: 1.35; }
.relevance label { display: block; font-weight: 600; }
.relevance input { width: 100%; max-width: 24rem; accent-color: var(--c0); }
[hidden] { display: none; }
@media print { details > * { display: block; } }
)";

}  // namespace gas::tools::report
