// The facts of a presentation: why and what came of it before; notes, its context and history.
import { el, foreign, pairs, presentationLink, section, timeOf } from "./elements.js";
import { notesOf } from "./notes.js";
import { state } from "./state.js";
import { copyButton, linkTo, textBlock } from "./text-block.js";
import {
  answerText, codeText, counted, LINE_MAX, nameIn, number, pastTitle, shown, stageText,
  titleIn, zoned,
} from "./text.js";

/** What a person reads before a choice, above the options: why, what may help, and what the options
 *  did before. */
export function reasonsOf(item, { report = {}, texts = [], earlier }) {
  return [
    ...texts.filter(({ isBody }) => isBody)
      .flatMap(({ heading, text }) => section(heading, textBlock(heading, text))),
    ...section("Runbook", linkTo(report.helpAnchor)),
    ...section("Earlier", earlierOf(item, earlier)),
  ];
}

/** What else is known of a presentation, after its options. */
export function factsOf(item, details) {
  const { report = {}, texts = [] } = details ?? {};
  return [
    ...section("Notes", details && notesOf(item, details.notes ?? [])),
    ...section("Context", contextOf(report.userInfo)),
    ...section("Underlying errors",
      report.underlyingErrors?.length && causesOf(report.underlyingErrors)),
    ...section("Path", pathOf(item, details?.changes ?? [])),
    ...section("History", details && historyOf(report, details.history ?? [])),
    ...section("Identity", identityOf(item, report, texts)),
  ];
}

function pathOf(item, changes) {
  const names = item.path.length ? item.path : [item.origin];
  const hop = (name, note) => el("li", {},
    el("span", { className: note === "here" ? "hop here" : "hop" }, shown(nameIn(item, name), 64),
      note && el("small", { textContent: ` ${note}` })),
    ...changes.filter(({ by }) => by === name).flatMap(({ words }) => words).map((words) =>
      el("span", { className: "change foreign", textContent: shown(words, 400) })));
  const hops = names.map((name, index) => hop(name, index === 0 ? "origin" : ""));
  const className = ["hops", !item.isReachable && "cut", changes.length > 0 && "changed"]
    .filter(Boolean).join(" ");
  return el("ol", { className }, ...hops, hop(state.node, "here"));
}

/** What came of the same error before: by option, and the latest ones. */
function earlierOf(item, earlier) {
  if (!earlier?.count) return null;
  const results = earlier.options.map(({ option, answered, recovered }) => el("li", {},
    el("b", { className: "foreign", textContent: shown(titleIn(item, option), 120) }),
    ` recovered ${number(recovered)} of ${number(answered)}`));
  const latest = earlier.latest.map((past) => el("li", {},
    timeOf(past.openedAt),
    el("span", {}, presentationLink(past.id, 8), " ", el("span", {
      className: "foreign", textContent: shown(endOf(item, past), 500),
    }))));
  return el("div", { className: "earlier" },
    el("p", {}, `The same ${counted(earlier.count, "time", "times")} in the last 7 days.`),
    results.length > 0 && el("ul", {}, ...results), el("ol", { className: "history" }, ...latest));
}

const endOf = (item, past) => [
  past.option && answerText(past,
    shown(past.optionTitle ? pastTitle(past) : titleIn(item, past.option), 120), LINE_MAX),
  past.ending ?? stageText(past.stage)].filter(Boolean).join(": ");

/** The values of `userInfo`: structures as JSON in lines, addresses as links, each to be copied. */
function contextOf(userInfo) {
  const entries = Object.entries(userInfo ?? {});
  if (entries.length === 0) return null;
  const list = el("dl", { className: "pairs" }, ...entries.flatMap(([name, value]) => {
    const isText = typeof value === "string";
    const text = isText ? value : JSON.stringify(value, null, 2);
    return [el("dt", { textContent: shown(name, 200) }),
      el("dd", {}, textBlock(name, text,
        { tag: isText ? "span" : "pre", isCopied: true, isLinked: isText }))];
  }));
  return el("div", {}, list,
    copyButton("context", JSON.stringify(userInfo, null, 2), "Copy all as JSON"));
}

function causesOf(errors) {
  return el("ol", { className: "nested" }, ...errors.map((error) => el("li", {},
    foreign("p", error.description),
    el("p", { className: "meta", textContent: shown(codeText({ code: null, ...error }), 200) }),
    error.failureReason && foreign("p", error.failureReason),
    error.underlyingErrors?.length && causesOf(error.underlyingErrors))));
}

function historyOf(report, events) {
  const lines = events.map(({ time, sentence }) => el("li", {}, timeOf(time),
    foreign("span", shown(sentence, 500))));
  const earlier = report.retryOf && el("li", {}, el("span", { textContent: "before" }),
    el("span", {}, "an earlier attempt: ", presentationLink(report.retryOf)));
  if (!earlier && lines.length === 0) return null;
  return el("ol", { className: "history" }, earlier, ...lines);
}

function identityOf(item, report, texts) {
  const facts = pairs([["Presentation", item.id], ["Domain", codeText(item)],
    ["Opened", zoned(item.openedAt)], ["Coalesce key", report.coalesceKey],
    ...texts.filter(({ isBody }) => !isBody).map(({ heading, text }) => [heading, text]),
  ].filter((pair) => pair[1]));
  return el("div", {}, facts, item.url && copyButton(
    "the address of this presentation", item.url, "Copy link"));
}
