// Texts of peers in their lines, and the buttons that show and copy them.
import { el, foreign, linesOf, LINES_SHOWN } from "./elements.js";
import { toast } from "./news.js";
import { state } from "./state.js";
import { number, shown } from "./text.js";

let opened = { id: null, names: new Set() }; // The texts of one presentation that are shown whole.

function openedOf(id) {
  if (opened.id !== id) opened = { id, names: new Set() };
  return opened.names;
}

/** A link to the address that a text is; null where it is no address of the web. */
export function linkTo(text) {
  if (!/^https?:\/\/[^\s]+$/.test(text ?? "")) return null;
  return el("a", {
    href: text, target: "_blank", rel: "noopener noreferrer", className: "foreign",
    textContent: shown(text, 300),
  });
}

/** A text: as it is where it has one line, else in its lines, with what shows all of them and what
 *  copies them. `tag` is the element of one line; `isCopied` gives it the button as well, and
 *  `isLinked` makes a link of an address. */
export function textBlock(name, text, { tag = "p", isCopied = false, isLinked = false } = {}) {
  const lines = linesOf(shown(text));
  const dataset = { key: `text ${name}` };
  if (lines < 2 && !isCopied) return foreign(tag, text, { dataset });
  const body = lines < 2 ? (isLinked && linkTo(text)) || foreign(tag, text, { dataset })
    : foreign("pre", text, { className: "foreign lines", dataset });
  const buttons = el("div", { className: "blockButtons" },
    lines > LINES_SHOWN && wholeButton(name, lines, body), copyButton(name, text));
  return el("div", { className: "block" }, body, buttons.hasChildNodes() && buttons);
}

/** Shows all lines of a text, or again as many as fit its frame. */
function wholeButton(name, lines, body) {
  const names = openedOf(state.shownID);
  const button = el("button", {
    className: "copy", type: "button", dataset: { key: `lines ${name}` },
    onclick: () => {
      if (!names.delete(name)) names.add(name);
      draw();
    },
  });
  const draw = () => {
    const isWhole = names.has(name);
    body.classList.toggle("whole", isWhole);
    button.textContent = isWhole ? "Show fewer lines" : `Show all ${number(lines)} lines`;
    button.ariaLabel = `${button.textContent}: ${shown(name, 100)}`;
  };
  draw();
  return button;
}

/** A button that copies a text as it is shown, without what hides in it; nothing where the browser
 *  lets no page copy. */
export function copyButton(name, text, title = "Copy") {
  if (!navigator.clipboard) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(shown(text, 300_000));
      toast("Copied.", "good");
    } catch {
      toast("The browser did not let the page copy.", "warning");
    }
  };
  return el("button", {
    className: "copy", type: "button", textContent: title, onclick: copy,
    ariaLabel: `${title}: ${shown(name, 100)}`, dataset: { key: `copy ${name}` },
  });
}
