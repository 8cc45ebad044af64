// Presented, answered, recovered over the last hour.
import { $, el, svg } from "./elements.js";
import { api } from "./api.js";
import { number } from "./text.js";

export async function loadChart() {
  const { buckets } = await api("GET", "chart");
  const top = Math.max(4, ...buckets.flatMap((bucket) =>
    [bucket.presented, bucket.answered, bucket.recovered]));
  const step = 300 / buckets.length;
  const y = (value) => 47 - (44 * value) / top;
  const bars = buckets.map(({ presented }, index) => svg("rect", {
    class: "presented", x: index * step + 0.5, width: step - 1, y: y(presented),
    height: 47 - y(presented),
  }));
  const line = (name) => svg("polyline", {
    class: name,
    points: buckets.map((bucket, index) => `${(index + 0.5) * step},${y(bucket[name])}`).join(" "),
  });
  $("chart").replaceChildren(...bars, line("answered"), line("recovered"));
  describeChart(buckets);
}

function describeChart(buckets) {
  const sum = (name) => buckets.reduce((total, bucket) => total + bucket[name], 0);
  const text = (name) => `${number(sum(name))} ${name}`;
  const legend = ["presented", "answered", "recovered"].map((name) =>
    el("span", {}, el("b", { className: name }), text(name)));
  const rest = text("failed").replace("failed", "not recovered");
  $("chartText").replaceChildren(...legend, `${rest} · last hour`);
  const all = ["presented", "answered", "recovered", "failed"].map(text).join(", ");
  $("chart").setAttribute("aria-label", `Last hour: ${all}`);
}
