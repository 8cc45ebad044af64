// The box of the filter: what is typed in it, its terms as chips, and notes on what it means.
import { $ } from "./elements.js";
import { addressOf } from "./address.js";
import {
  filterNotes, filterText, FILTER_MAX, hiddenText, isApplied, termOf, TERMS,
} from "./filter.js";
import { say, toast } from "./news.js";
import { collectRows } from "./rows.js";
import { state } from "./state.js";
import { termBox } from "./term-box.js";
import { counted, lengthOf } from "./text.js";
import { arrange } from "./views.js";

const LATEST = "latest"; // The only order of what has ended.
const ENDED_ORDER = "Ended presentations are listed by the time of their end.";

const box = termBox($("filter"), $("chips"), "filter",
  { now: () => state, change: arrange, known: termOf, isApplied });

export const clearFilter = () => box.clear();

export function drawFilter() {
  if (state.isPressing) return;
  box.draw();
  $("view").value = state.show;
  $("sort").value = state.show === "ended" ? LATEST : state.sort;
  const why = state.show === "ended" ? ENDED_ORDER : null;
  // A list of choices is disabled as a whole, or could be changed.
  Object.assign($("sort"), { disabled: Boolean(why), title: why ?? "", ariaDescription: why });
  const note = filterNotes().join(" ");
  $("filterNote").hidden = !note;
  if ($("filterNote").textContent !== note) $("filterNote").textContent = note;
  const home = addressOf("inbox", null, { ...state, filter: filterText() });
  for (const link of document.querySelectorAll("[data-tab=inbox], .skip")) {
    if (link.getAttribute("href") !== home) link.setAttribute("href", home);
  }
}

/** Adds a term, or removes it if it is there. */
export function toggleTerm(word) {
  const terms = state.terms.includes(word) ? state.terms.filter((each) => each !== word)
    : [...state.terms, word];
  if (lengthOf([...terms, state.typed].join(" ")) > FILTER_MAX) {
    toast(`A filter has at most ${FILTER_MAX} characters.`, "warning");
    return;
  }
  arrange({ terms });
}

/** A key in the box; whether it was for the box alone. */
export function onFilterKey(event) {
  const isDone = box.onKey(event);
  if (isDone) collectRows(); // The next key may come before the next frame.
  return isDone;
}

/** Says to a screen reader what a change of the filter or the order has left in the list. */
export function tellArranged() {
  if (!state.arranged) return;
  state.arranged = false;
  const rows = state.rows.filter((row) => row.kind !== "member").length;
  say(`${counted(rows, "row")}. ${state.hidden > 0 ? hiddenText() : ""}`);
}

export function startFilterBox() {
  $("filterHelp").textContent = `It understands text, ${TERMS}. Backspace in the empty box removes `
    + "the last term.";
  $("view").addEventListener("input", ({ target }) => arrange({ show: target.value }));
  $("sort").addEventListener("input", ({ target }) => arrange({ sort: target.value }));
}
