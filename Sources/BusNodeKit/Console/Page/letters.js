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
const unfolded = new Set(); // The lists that are shown whole, by their keys.

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
  redraw($("letters"), [dead, removed, isKept, [...unfolded], state.online], () =>
    (dead.length === 0 ? [] : [
      el("h2", { textContent: "Messages of hooks that were not delivered" }),
      ...folded("", byFailure(dead), "cards", card),
      removed > 0 && el("p", { className: "hint", textContent:
        `Only the latest are kept: ${number(removed)} before them ${
          removed === 1 ? "was" : "were"} removed.` }),
      !isKept && el("p", { className: "hint", textContent:
        "This node has no journal: it forgets them when it stops." }),
    ]));
}

const keyOf = ([{ hook, problem }]) => JSON.stringify([hook, problem]);

/** The messages in groups, each of one hook and one failure, in the order of their first ones. */
function byFailure(dead) {
  const groups = new Map();
  for (const letter of dead) {
    const key = keyOf([letter]);
    groups.set(key, [...groups.get(key) ?? [], letter]);
  }
  return [...groups.values()];
}

/** A list of which the first are in sight, and a button that unfolds the others. */
function folded(key, entries, className, line) {
  const isWhole = unfolded.has(key);
  return [
    el("ul", { className }, ...entries.slice(0, isWhole ? undefined : FIRST).map(line)),
    entries.length > FIRST
      && el("p", { className: "buttons" }, foldButton(key, entries.length - FIRST, isWhole)),
  ].filter(Boolean);
}

const foldButton = (key, count, isWhole) => el("button", {
  type: "button", className: "fold", ariaExpanded: String(isWhole), dataset: { key: `fold ${key}` },
  onclick: () => {
    if (isWhole) unfolded.delete(key); else unfolded.add(key);
    schedule();
  },
}, el("span", { textContent: isWhole ? "▾ " : "▸ ", ariaHidden: "true" }),
counted(count, "later one"));

/** The messages that failed in one way: what they have in common, and each of them. */
function card(group) {
  const [{ hook, problem }] = group;
  const isOne = group.length === 1;
  return el("li", { className: "card" },
    el("p", { className: "meta" },
      el("strong", { className: "foreign", textContent: shown(hook, 64) }),
      !isOne && el("span", { textContent: counted(group.length, "message") })),
    el("p", { className: "problem", textContent: shown(problem, 400) }),
    !isOne && el("p", { className: "buttons" }, allButton(group)),
    ...(isOne ? partsOf(group[0])
      : folded(keyOf(group), group, "letters", (letter) => el("li", {}, ...partsOf(letter)))));
}

function partsOf(letter) {
  const { title, tries, at, presentation, count } = letter;
  return [
    foreign("p", shown(title, 600)),
    el("p", { className: "meta" },
      el("span", {}, since(at), " ago (", timeOf(at), ")"),
      el("span", { textContent: `after ${counted(tries, "try", "tries")}` }),
      presentation && el("span", {},
        count > 1 ? `the first of ${number(count)}: ` : "presentation ",
        presentationLink(presentation, 8))),
    el("p", { className: "buttons" }, againButton(letter)),
  ];
}

const allButton = (group) => el("button", {
  type: "button", textContent: `Send all ${number(group.length)} again`,
  ...disabledFor(whyNot("administer")), dataset: { key: `letters ${keyOf(group)}` },
  onclick: () => sendAgain(group),
});

const againButton = (letter) => el("button", {
  type: "button", textContent: "Send again", ...disabledFor(whyNot("administer")),
  ariaLabel: `Send again: ${shown(letter.title, 100)}`, dataset: { key: `letter ${letter.number}` },
  onclick: () => sendAgain([letter]),
});

let isSending = false;

async function sendAgain(group) {
  const by = await ownName();
  if (!by || isSending) return;
  isSending = true;
  const hook = shown(group[0].hook, 64);
  let count = 0;
  try {
    // One after another, as the hook gets them.
    for (const { number: letter } of group) {
      try {
        await api("POST", `notify/dead/${letter}/retry`, { by });
        count += 1;
      } catch (error) {
        // Another person has sent it meanwhile, or it is kept no longer.
        if (group.length === 1 || error.answer?.error !== "unknownLetter") throw error;
      }
    }
    const which = group.length > 1 ? `${counted(count, "message")} sent` : "Sent";
    toast(`${which} again to ${hook}: what fails is listed again.`, "good");
  } catch (error) {
    const before = count > 0 ? `${counted(count, "message")} sent again to ${hook}, then: ` : "";
    toast(before + failureText(error), "error");
  } finally {
    isSending = false;
  }
  loadLetters();
}
