// Presented, answered, recovered over a time that a person chooses, and how long answers took.
import { $, el, svg } from "./elements.js";
import { api, Refusal } from "./api.js";
import { inTurn, schedule } from "./frame.js";
import { state } from "./state.js";
import { moment, number, span as spanText } from "./text.js";
import { refreshView } from "./views.js";

/** A longer time than an hour changes slowly, and takes the server longer. */
const PAUSE = 60_000;

const WORDS = { failed: "not recovered", unknown: "no result known" };

let readAt = -Infinity;

/** A time that can be chosen, in words. */
export const timeText = (value) =>
  [...$("span").options].find((option) => option.value === value)?.textContent ?? value;

export function startChart() {
  $("span").addEventListener("input", refreshView);
}

export const loadChart = inTurn(async () => {
  const span = $("span").value;
  const isSame = state.chart?.span === span;
  const pause = span === $("span").options[0].value ? 0 : PAUSE;
  if (isSame && performance.now() - readAt < pause) return;
  readAt = performance.now();
  let chart;
  try {
    chart = await api("GET", `chart?span=${span}`);
  } catch (error) {
    // What is shown is what the choice says.
    if (error instanceof Refusal && state.chart) $("span").value = state.chart.span;
    throw error;
  }
  if (span !== $("span").value) return; // Another one is wanted by now.
  state.chart = chart;
  draw(chart);
  schedule();
});

function draw(chart) {
  const { buckets } = chart;
  const top = Math.max(4, ...buckets.flatMap((bucket) =>
    [bucket.presented, bucket.answered, bucket.recovered, bucket.unknown]));
  const step = 300 / buckets.length;
  const y = (value) => 47 - (44 * value) / top;
  const bars = buckets.map(({ presented }, index) => svg("rect", {
    class: "presented", x: index * step + 0.5, width: step - 1, y: y(presented),
    height: 47 - y(presented),
  }));
  const unknown = buckets.map((bucket, index) => bucket.unknown > 0 && svg("rect", {
    class: "unknown", x: (index + 0.3) * step, width: 0.4 * step, y: y(bucket.unknown),
    height: 47 - y(bucket.unknown),
  })).filter(Boolean);
  const line = (name) => svg("polyline", {
    class: name,
    points: buckets.map((bucket, index) => `${(index + 0.5) * step},${y(bucket[name])}`).join(" "),
  });
  $("chart").replaceChildren(...bars, ...unknown, line("answered"), line("recovered"));
  // Without a journal there is the last hour alone.
  $("span").hidden = !chart.waits && $("span").selectedIndex === 0;
  describe(chart);
}

function describe({ span, buckets, stepMilliseconds, isCut }) {
  const sum = (name) => buckets.reduce((total, bucket) => total + bucket[name], 0);
  const text = (name) => `${number(sum(name))} ${WORDS[name] ?? name}`;
  const shapes = ["presented", "answered", "recovered"];
  const others = ["failed", ...(sum("cancelled") > 0 ? ["cancelled"] : [])];
  const rest = others.map(text).join(" · ");
  if (sum("unknown") > 0) shapes.push("unknown");
  const legend = shapes.map((name) => el("span", {}, el("b", { className: name }), text(name)));
  const time = timeText(span);
  const cut = isCut ? "the latest alone" : "";
  $("chartText").replaceChildren(...legend,
    [rest, cut, $("span").hidden && time].filter(Boolean).join(" · "));
  const all = [...shapes, ...others].map(text).join(", ");
  const { presented, at } = buckets.reduce((a, b) => (b.presented > a.presented ? b : a));
  const peak = `most presented in ${spanText(stepMilliseconds)}: ${number(presented)}, `
    + `from ${moment(at)}`;
  $("chart").setAttribute("aria-label",
    `In the ${time}: ${[all, cut, presented > 0 && peak].filter(Boolean).join("; ")}`);
}
