// The search above the options of a presentation, or of a selection, that has many.
import { el, isComposed } from "./elements.js";
import { counted, number, optionTitle } from "./text.js";

const FEW = 8; // So many are in sight without a search.

// What is typed in each place, kept while the same presentation or selection is drawn again.
const typed = { detail: { id: null, text: "" }, dialog: { id: null, text: "" } };

/** Whether an option is in sight: what is typed above the options lets it through. */
export function isOptionShown({ id, options }, option, place = "detail") {
  if (options.length <= FEW || typed[place].id !== id) return true;
  const text = `${optionTitle(option)} ${option.id}`.toLowerCase();
  return typed[place].text.trim().toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The buttons of the options, in their order; below a search where there are many. They are in the
 *  detail, where a key leads to the search, or in a dialog. */
export function searchable(item, buttons, box, place = "detail") {
  if (buttons.length <= FEW) return box;
  if (typed[place].id !== item.id) typed[place] = { id: item.id, text: "" };
  const count = el("p", { className: "hint", role: "status" });
  const search = el("input", {
    type: "search", className: "optionSearch", value: typed[place].text,
    ariaLabel: "Search the options", autocomplete: "off", spellcheck: false,
    placeholder: `Search ${number(buttons.length)} options${place === "detail" ? " ( f )" : ""}`,
    dataset: { key: "optionSearch" },
  });
  const shown = () => buttons.filter((button) => !button.hidden);
  const draw = () => {
    item.options.forEach((option, index) => {
      buttons[index].hidden = !isOptionShown(item, option, place);
    });
    const found = shown().length;
    count.textContent = found < buttons.length
      ? `${number(found)} of ${counted(buttons.length, "option")}` : "All options are shown.";
  };
  search.addEventListener("input", () => { typed[place].text = search.value; draw(); });
  const all = el("div", { className: "optionBox" }, search, count, box);
  all.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isComposed(event)) return;
    // Return that is still held down has led to an option, and must not choose it.
    const isHeld = event.repeat && event.key === "Enter";
    const isDone = isHeld
      || (event.target === search ? onSearchKey(event.key) : onOptionKey(event));
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
  });

  /** A key in the search: Return leads to the first option, and answers with none. */
  function onSearchKey(key) {
    if (key === "Enter" || key === "ArrowDown") {
      shown()[0]?.focus();
      return true;
    }
    if (key !== "Escape" || search.value === "") return false;
    search.value = "";
    typed[place].text = "";
    draw();
    return true;
  }

  function onOptionKey({ key, target }) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const index = shown().indexOf(target);
    if (!step || index < 0) return false;
    (shown()[index + step] ?? (step < 0 ? search : target)).focus();
    return true;
  }

  draw();
  return all;
}

/** Leads to the search, where there is one. */
export function focusOptionSearch() {
  document.querySelector(".optionSearch")?.focus();
}
