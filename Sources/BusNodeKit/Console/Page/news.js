// Notices, on the screen and for a screen reader.
import { $, el } from "./elements.js";
import { schedule } from "./frame.js";
import { state } from "./state.js";
import { endingOf, isCancelled } from "./store.js";
import { headingOf, number, shown, titleIn } from "./text.js";

const PASSING = 8000;
const PASSING_MAX = 4;

/** Adds a notice to a stack, at its visible end. */
export function showNotice(stack, note) {
  changeNotices(() => {
    stack.prepend(note);
    stack.scrollTop = 0;
  });
}

export const removeNotices = (notes) =>
  changeNotices(() => notes.forEach((note) => note.remove()));

function changeNotices(change) {
  const { style } = document.documentElement;
  // A list that was scrolled to its end stays there.
  style.setProperty("--notices", "0px");
  change();
  style.setProperty("--notices", `${$("toasts").getBoundingClientRect().height}px`);
  schedule();
}

/** Shows a notice for some seconds; only the latest stay. */
export function toast(text, tone) {
  const role = tone === "error" || tone === "warning" ? { role: "alert" } : {};
  const close = el("button", {
    type: "button", className: "plain", textContent: "Close", onclick: () => removeNotices([note]),
  });
  const note = el("div", { className: `toast ${tone}`, ...role },
    el("p", { textContent: shown(text, 400) }), close);
  showNotice($("passing"), note);
  removeNotices([...$("passing").children].slice(PASSING_MAX));
  setTimeout(() => removeNotices([note]), PASSING);
}

export function say(text) { $("news").textContent = text; }

/** The news since the last time, in one sentence, so that a screen reader is not flooded. */
export function tellNews() {
  const { arrived, results, proposed } = state.news;
  state.news = { ...state.news, arrived: [], results: [], proposed: [] };
  if (arrived.length === 1) {
    say(`New ${arrived[0].severity}: ${shown(headingOf(arrived[0]), 200)}`);
  }
  if (arrived.length > 1) say(`${arrived.length} new, ${state.openCount} waiting.`);
  if (results.length === 1) {
    const [word, tone] = endingOf(results[0]);
    toast(`${word}: ${headingOf(results[0])}`, tone);
  }
  if (results.length > 1) tellResults(results);
  if (proposed.length > 0) {
    const [{ proposal }] = proposed;
    const more = proposed.length > 1 ? ` and ${number(proposed.length - 1)} more` : "";
    toast(`${proposal.by} proposes “${titleIn(proposed[0], proposal.option)}”: `
      + `${headingOf(proposed[0])}${more}`, "warning");
  }
}

function tellResults(results) {
  const good = results.filter((item) => item.result === "recovered").length;
  const cancelled = results.filter(isCancelled).length;
  const rest = results.length - good - cancelled;
  const text = [`${number(good)} recovered`, cancelled && `${number(cancelled)} cancelled`,
    rest && `${number(rest)} not recovered`].filter(Boolean).join(", ");
  toast(text, rest ? "warning" : "good");
}
