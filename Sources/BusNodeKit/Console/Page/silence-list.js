// The view of silences: active, and recently ended.
import { $, disabledFor, el, foreign, redraw, since, timeOf, until } from "./elements.js";
import { endSilence } from "./silences.js";
import { matchParts } from "./patterns.js";
import { openSilenceForm } from "./silence-form.js";
import { state, whyNot } from "./state.js";
import { number, shown } from "./text.js";

export function drawSilences() {
  if (state.tab !== "silences" || state.isPressing) return;
  const said = [state.silences, state.silencesAreKept, state.silencesProblem, state.online,
    state.me?.may];
  redraw($("silences"), said, () => {
    if (state.silencesProblem) return [problem()];
    const active = state.silences.filter((silence) => silence.stage === "active");
    const ended = state.silences.filter((silence) => silence.stage !== "active");
    return [
      active.length ? cards(active, "Active") : nothing(),
      !state.silencesAreKept && notKept(),
      ended.length > 0 && el("h2", { textContent: "Recently ended" }),
      ended.length > 0 && cards(ended, "Recently ended"),
    ];
  });
}

const problem = () =>
  el("p", { className: "problem", textContent: shown(state.silencesProblem, 400) });

const notKept = () => el("p", {
  className: "hint", textContent: "This node has no journal: its silences end when it stops.",
});

const nothing = () => el("div", { className: "quiet" },
  el("strong", { textContent: "No silence is active." }),
  el("p", { textContent: "During planned work, a silence keeps the expected errors from being "
    + "presented. It always ends by itself." }));

const cards = (silences, label) =>
  el("ul", { className: "cards", ariaLabel: label }, ...silences.map(card));

function card(silence) {
  const isActive = silence.stage === "active";
  const parts = matchParts(silence.match).map(([name, text]) => el("li", {},
    el("span", { className: "soft", textContent: `${shown(name, 60)} ` }),
    foreign("code", shown(text, 300), { tabIndex: -1 })));
  return el("li", { className: isActive ? "card" : "card ended" },
    headOf(silence, isActive), el("ul", { className: "matchers", ariaLabel: "Matches" }, ...parts),
    foreign("p", shown(silence.comment, 600)), countsOf(silence),
    el("p", { className: "buttons" }, isActive && endButton(silence), againButton(silence)));
}

function headOf(silence, isActive) {
  const when = isActive
    ? ["ends in ", until(Date.parse(silence.endsAt)), " ("]
    : ["ended ", since(silence.endsAt), " ago ("];
  return el("p", { className: "meta" },
    el("strong", { textContent: `Silence ${silence.number}` }),
    el("span", {
      className: `badge ${isActive ? "good" : "debug"}`,
      textContent: isActive ? "active" : "ended",
    }),
    el("span", {}, ...when, timeOf(silence.endsAt), ")"),
    el("span", { textContent: `made by ${shown(silence.by, 64)}` }),
    silence.endedBy && el("span", { textContent: `ended early by ${shown(silence.endedBy, 64)}` }));
}

function countsOf({ answered, withheld, lastAt, option, onlyWithholds }) {
  const how = onlyWithholds
    ? "withholds, and answers nothing: its author may not answer with every option"
    : option ? `answers with ${shown(option, 64)}`
    : "answers with the option applied on expiry, else withholds";
  return el("p", { className: "meta" },
    el("span", {}, el("b", { textContent: number(answered) }), " answered"),
    el("span", {}, el("b", { textContent: number(withheld) }), " withheld"),
    lastAt ? el("span", {}, "last one ", since(lastAt), " ago")
      : el("span", { textContent: "matched nothing yet" }),
    el("span", { textContent: how }));
}

const endButton = (silence) => el("button", {
  type: "button", textContent: "End it now", ...disabledFor(whyNot("silence")),
  ariaLabel: `End silence ${silence.number} now`, dataset: { key: `end ${silence.number}` },
  onclick: () => endSilence(silence),
});

const againButton = ({ number: silence, match, comment, option }) => el("button", {
  type: "button", textContent: "Another like it…", ...disabledFor(whyNot("silence")),
  ariaLabel: `Another like silence ${silence}`, dataset: { key: `again ${silence}` },
  onclick: () => openSilenceForm({ match, comment, option }),
});
