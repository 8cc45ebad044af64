// The box of the filter: what is typed in it, its terms as chips, and notes on what it means.
import { $, disabledFor, el, redraw } from "./elements.js";
import { addressOf } from "./address.js";
import {
  filterNotes, filterText, FILTER_MAX, hiddenText, isApplied, splitTyped, TERMS,
} from "./filter.js";
import { say, toast } from "./news.js";
import { collectRows } from "./rows.js";
import { state } from "./state.js";
import { counted, shown } from "./text.js";
import { arrange } from "./views.js";

const ENABLED = { disabled: false, title: "", ariaDescription: null };
const ENDED_ORDER = "What has ended is listed by when it ended.";

export function drawFilter() {
  if (state.isPressing) return;
  const field = $("filter");
  if (field.value !== state.typed) field.value = state.typed;
  field.maxLength = Math.max(0, FILTER_MAX - state.terms.join(" ").length - 1);
  $("view").value = state.show;
  $("sort").value = state.sort;
  Object.assign($("sort"), {
    ...ENABLED, ...disabledFor(state.show === "ended" ? ENDED_ORDER : null),
  });
  $("chips").hidden = state.terms.length === 0;
  redraw($("chips"), [state.terms, state.terms.map(isApplied)], chips);
  const note = filterNotes().join(" ");
  $("filterNote").hidden = !note;
  if ($("filterNote").textContent !== note) $("filterNote").textContent = note;
  const home = addressOf("inbox", null, { ...state, filter: filterText() });
  for (const link of document.querySelectorAll("[data-tab=inbox], .skip")) {
    if (link.getAttribute("href") !== home) link.setAttribute("href", home);
  }
}

function chips() {
  const list = state.terms.map((word, index) => el("li", {}, el("button", {
    type: "button", className: isApplied(word) ? "chip term" : "chip term unapplied",
    ariaLabel: `Remove ${shown(word)} from the filter`, title: "Remove from the filter",
    dataset: { key: `term ${index}` }, onclick: () => removeTerm(index),
    onkeydown: ({ key, repeat }) => {
      if (!repeat && (key === "Backspace" || key === "Delete")) removeTerm(index);
    },
  }, el("span", { className: "foreign", textContent: shown(word) }),
  el("span", { textContent: " ✕", ariaHidden: "true" }))));
  const all = el("button", {
    type: "button", className: "plain", textContent: "Remove all", onclick: clearFilter,
    dataset: { key: "term all" },
  });
  return list.length > 1 ? [...list, el("li", {}, all)] : list;
}

function removeTerm(index) {
  // The focus goes on to the next chip, or back to the box.
  if (index === state.terms.length - 1) $("filter").focus();
  arrange({ terms: state.terms.filter((_, each) => each !== index) });
}

/** Adds a term, or removes it if it is there. */
export function toggleTerm(word) {
  const terms = state.terms.includes(word) ? state.terms.filter((each) => each !== word)
    : [...state.terms, word];
  if ([...terms, state.typed].join(" ").length > FILTER_MAX) {
    toast(`A filter has at most ${FILTER_MAX} characters.`, "warning");
    return;
  }
  arrange({ terms });
}

export function clearFilter() {
  arrange({ terms: [], typed: "" });
  $("filter").focus();
}

/** Makes chips of the terms that are typed: of those that a space follows, or of all. */
function take(isAll) {
  const field = $("filter");
  const { terms, typed } = splitTyped(isAll ? `${field.value} ` : field.value);
  if (terms.length === 0) return {};
  const caret = field.selectionStart - (field.value.length - typed.length);
  field.value = typed.trimStart();
  field.setSelectionRange(Math.max(0, caret), Math.max(0, caret));
  return { terms: [...new Set([...state.terms, ...terms])], typed: field.value };
}

function onInput({ isComposing }) {
  const taken = isComposing ? {} : take(false);
  arrange({ typed: $("filter").value, ...taken }, true);
}

/** Makes chips of all terms that are typed; whether there were any. */
function takeAll() {
  const taken = take(true);
  if (taken.terms) arrange(taken, true);
  return Boolean(taken.terms);
}

/** A key in the box; whether it was for the box alone. */
export function onFilterKey({ key, repeat }) {
  const field = $("filter");
  // Return after a term makes it a chip, and goes on to the list after anything else.
  if (key === "Enter") return takeAll();
  if (key === "Backspace" && field.value === "" && !repeat && state.terms.length > 0) {
    arrange({ terms: state.terms.slice(0, -1) });
    return true;
  }
  if (key !== "Escape" || field.value === "") return false;
  arrange({ typed: "" }, true);
  field.value = "";
  collectRows(); // The next key may come before the next frame.
  return true;
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
  $("filter").addEventListener("input", onInput);
  $("filter").addEventListener("change", takeAll);
  $("view").addEventListener("input", ({ target }) => arrange({ show: target.value }));
  $("sort").addEventListener("input", ({ target }) => arrange({ sort: target.value }));
}
