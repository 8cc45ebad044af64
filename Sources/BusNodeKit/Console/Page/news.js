// Notices, on the screen and for a screen reader.
import { $, el } from "./elements.js";
import { schedule } from "./frame.js";
import { state } from "./state.js";
import { endingOf, isCancelled } from "./store.js";
import { asSentence, headingOf, number, shown, titleIn } from "./text.js";

const PASSING = 8000;
const PASSING_MAX = 4;
const LEFT = 2000; // The pause between two looks at a notice that is being read.

/** Adds a notice to a stack, at its visible end. */
export function showNotice(stack, note) {
  changeNotices(() => {
    stack.prepend(note);
    stack.scrollTop = 0;
  });
}

export const removeNotices = (notes) =>
  changeNotices(() => notes.forEach((note) => note.remove()));

/** Moves the notices in front of a dialog; without one back to the foot of the page. */
export const placeNotices = (dialog) => changeNotices(() => {
  const place = $("toasts");
  place.popover = dialog ? "manual" : null;
  if (!dialog) { $("news").before(place); return; }
  dialog.append(place);
  place.showPopover?.(); // Without it they are at the end of the dialog.
});

function changeNotices(change) {
  const { style } = document.documentElement;
  // A list that was scrolled to its end stays there.
  style.setProperty("--notices", "0px");
  change();
  const place = $("toasts");
  const height = place.popover ? 0 : place.getBoundingClientRect().height;
  style.setProperty("--notices", `${height}px`);
  schedule();
}

/** Shows a notice: one of an error until it is closed, others for some seconds. Only the latest
 *  stay, errors before others. */
export function toast(text, tone) {
  const words = shown(text, 400);
  const role = tone === "error" || tone === "warning" ? { role: "alert" } : {};
  const close = el("button", {
    type: "button", className: "plain", textContent: "Close", onclick: () => removeNotices([note]),
  });
  const note = el("div", { className: `toast ${tone}`, ...role },
    el("p", { textContent: words }), close);
  const same = [...$("passing").children].filter((each) =>
    isError(each) && isError(note) && each.firstChild.textContent === words);
  showNotice($("passing"), note);
  const [, ...others] = $("passing").children;
  const older = others.filter((each) => !same.includes(each)).reverse();
  const first = [...older.filter((each) => !isError(each)), ...older.filter(isError)];
  const excess = Math.max(0, first.length + 1 - PASSING_MAX);
  removeNotices([...same, ...first.slice(0, excess)]);
  if (!isError(note)) setTimeout(() => passAway(note), PASSING);
}

const isError = (note) => note.classList.contains("error");

/** Takes a notice away that is not being read: with the pointer or the focus on it, it stays. */
function passAway(note) {
  if (note.isConnected && note.matches(":hover, :focus-within")) {
    setTimeout(() => passAway(note), LEFT);
  } else removeNotices([note]);
}

export function say(text) { $("news").textContent = text; }

/** The news since the last time, in one sentence, so that a screen reader is not flooded. */
export function tellNews() {
  const { arrived, results, proposed, lost } = state.news;
  state.news = { ...state.news, arrived: [], results: [], proposed: [], lost: [] };
  for (const item of lost) {
    toast(`The console restarted: your answer is lost. ${headingOf(item)}`, "error");
  }
  if (arrived.length === 1) {
    say(`New ${arrived[0].severity}: ${shown(headingOf(arrived[0]), 200)}`);
  }
  if (arrived.length > 1) say(`${arrived.length} new, ${state.openCount} waiting.`);
  if (results.length === 1) {
    const [word, tone] = endingOf(results[0]);
    toast(`${asSentence(word)}: ${headingOf(results[0])}`, tone);
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
  const unknown = results.filter(({ result }) => result === "unknown").length;
  const rest = results.length - good - cancelled - unknown;
  const text = [`${number(good)} recovered`, cancelled && `${number(cancelled)} cancelled`,
    rest && `${number(rest)} not recovered`, unknown && `${number(unknown)} no result known`,
  ].filter(Boolean).join(", ");
  const isBad = results.some((item) => ["error", "warning"].includes(endingOf(item)[1]));
  toast(text, isBad ? "warning" : good ? "good" : "debug");
}
