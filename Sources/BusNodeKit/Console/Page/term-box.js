// A box of text whose terms become chips: that of the list's filter, of the history, of the audit.
import { el, redraw } from "./elements.js";
import { FILTER_MAX, splitTyped } from "./filter.js";
import { lengthOf, shown } from "./text.js";

/**
 * The behaviour of a box. `field` is its input, `chips` the list of its terms, `name` what people
 * call it. `view` knows what is shown: `now()` gives its `terms` and what is `typed`, `change`
 * shows others, `known` and `isApplied` are for words, `max` is the length of its text.
 */
export function termBox(field, chips, name, { now, change, known, isApplied, max = FILTER_MAX }) {
  function draw() {
    const { terms, typed } = now();
    if (field.value !== typed) field.value = typed;
    field.dataset.max = Math.max(0, max - lengthOf(terms.join(" ")) - 1);
    chips.hidden = terms.length === 0;
    redraw(chips, [terms, terms.map(isApplied)], () => chipsOf(terms));
  }

  function chipsOf(terms) {
    const list = terms.map((word, index) => el("li", {}, el("button", {
      type: "button", className: isApplied(word) ? "chip term" : "chip term unapplied",
      ariaLabel: `Remove ${shown(word)} from the ${name}`, title: `Remove from the ${name}`,
      dataset: { key: `term ${index}` }, onclick: () => remove(index),
      onkeydown: ({ key, repeat }) => {
        if (!repeat && (key === "Backspace" || key === "Delete")) remove(index);
      },
    }, el("span", { className: "foreign", textContent: shown(word) }),
    el("span", { textContent: " ✕", ariaHidden: "true" }))));
    const all = el("button", {
      type: "button", className: "plain", textContent: "Remove all", onclick: clear,
      dataset: { key: "term all" },
    });
    return list.length > 1 ? [...list, el("li", {}, all)] : list;
  }

  function remove(index) {
    const { terms } = now();
    // The focus goes on to the next chip, or back to the box.
    if (index === terms.length - 1) field.focus();
    change({ terms: terms.filter((_, each) => each !== index) });
  }

  function clear() {
    change({ terms: [], typed: "" });
    field.focus();
  }

  /** Makes chips of the terms that are typed: of those that a space follows, or of all. */
  function take(isAll) {
    const { terms, typed } = splitTyped(isAll ? `${field.value} ` : field.value, known);
    if (terms.length === 0) return {};
    const caret = field.selectionStart - (field.value.length - typed.length);
    field.value = typed.trimStart();
    field.setSelectionRange(Math.max(0, caret), Math.max(0, caret));
    return { terms: [...new Set([...now().terms, ...terms])], typed: field.value };
  }

  /** Makes chips of all terms that are typed; whether there were any. */
  function takeAll() {
    const taken = take(true);
    if (taken.terms) change(taken, true);
    return Boolean(taken.terms);
  }

  /** A key in the box; whether it was for the box alone. */
  function onKey({ key, repeat }) {
    const { terms } = now();
    // Return after a term makes it a chip, and goes on to the list after anything else.
    if (key === "Enter") return takeAll();
    if (key === "Backspace" && field.value === "" && !repeat && terms.length > 0) {
      change({ terms: terms.slice(0, -1) });
      return true;
    }
    if (key !== "Escape" || field.value === "") return false;
    change({ typed: "" }, true);
    field.value = "";
    return true;
  }

  field.addEventListener("input", ({ isComposing }) => {
    const taken = isComposing ? {} : take(false);
    change({ typed: field.value, ...taken }, true);
  });
  field.addEventListener("change", takeAll);
  return { draw, clear, onKey };
}
