// Messages of hooks that their receivers did not take, for those who may send them again.
import {
  $, disabledFor, el, foreign, presentationLink, redraw, since, timeOf,
} from "./elements.js";
import { api, failureText } from "./api.js";
import { ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { may, state, whyNot } from "./state.js";
import { counted, number, shown } from "./text.js";

const FIRST = 3; // That are in sight before the others are unfolded: the nodes come after them.

let letters = { dead: [], removed: 0, isKept: true };
let isUnfolded = false;

const isShown = () => Boolean(state.me) && may("administer");

/** Reads them; where they cannot be read those of before stay. */
export async function loadLetters() {
  if (!isShown()) return;
  letters = await api("GET", "notify").catch(() => letters);
  schedule();
}

export function drawLetters() {
  const { dead, removed, isKept } = isShown() ? letters : { dead: [] };
  $("letterCount").hidden = dead.length === 0;
  $("letterNumber").textContent = number(dead.length);
  if (state.tab !== "topology" || state.isPressing) return;
  redraw($("letters"), [dead, removed, isKept, isUnfolded, state.online], () =>
    (dead.length === 0 ? [] : [
      el("h2", { textContent: "Messages of hooks that were not delivered" }),
      el("ul", { className: "cards" }, ...dead.slice(0, isUnfolded ? undefined : FIRST).map(card)),
      dead.length > FIRST && el("p", { className: "buttons" }, foldButton(dead.length - FIRST)),
      removed > 0 && el("p", { className: "hint", textContent:
        `Only the latest are kept: ${number(removed)} before them were removed.` }),
      !isKept && el("p", { className: "hint", textContent:
        "This node has no journal: it forgets them when it stops." }),
    ]));
}

const foldButton = (count) => el("button", {
  type: "button", className: "fold", ariaExpanded: String(isUnfolded), dataset: { key: "fold" },
  onclick: () => {
    isUnfolded = !isUnfolded;
    schedule();
  },
}, el("span", { textContent: isUnfolded ? "▾ " : "▸ ", ariaHidden: "true" }),
`${number(count)} later ones`);

function card(letter) {
  const { hook, title, tries, problem, at, presentation, count } = letter;
  return el("li", { className: "card" },
    el("p", { className: "meta" },
      el("strong", { className: "foreign", textContent: shown(hook, 64) }),
      el("span", {}, since(at), " ago (", timeOf(at), ")"),
      el("span", { textContent: `after ${counted(tries, "try", "tries")}` })),
    foreign("p", shown(title, 600)),
    el("p", { className: "problem", textContent: shown(problem, 400) }),
    presentation && el("p", { className: "meta" }, el("span", {},
      count > 1 ? `the first of ${number(count)}: ` : "presentation ",
      presentationLink(presentation, 8))),
    el("p", { className: "buttons" }, againButton(letter)));
}

const againButton = (letter) => el("button", {
  type: "button", textContent: "Send again", ...disabledFor(whyNot("administer")),
  ariaLabel: `Send again: ${shown(letter.title, 100)}`, dataset: { key: `letter ${letter.number}` },
  onclick: () => sendAgain(letter),
});

async function sendAgain({ number: letter, hook }) {
  const by = await ownName();
  if (!by) return;
  try {
    await api("POST", `notify/dead/${letter}/retry`, { by });
    toast(`Sent again to ${shown(hook, 64)}: should that fail, it is listed again.`, "good");
  } catch (error) {
    toast(failureText(error), "error");
  }
  loadLetters();
}
