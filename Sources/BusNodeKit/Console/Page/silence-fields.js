// The fields of the silence form: filled, read, and with their problems beside them.
import { $, el } from "./elements.js";
import { digitsOf } from "./api.js";
import { literal, parsedPattern, patternText } from "./patterns.js";
import { may, state } from "./state.js";
import { isOpen } from "./store.js";
import { originOf, shown } from "./text.js";

const NAMES = ["domain", "code", "severity", "origin"];
const INFO_MAX = 8;
const form = () => $("silenceDialog").firstElementChild;
const field = (name) => form().elements.namedItem(name);

export function fillSilenceForm(given) {
  fillSilenceForm.given = given;
  const { match = {}, narrower = [], options, option, comment } = given;
  form().reset();
  clearProblems();
  for (const name of NAMES) field(name).value = patternText(match[name]);
  $("silenceInfo").replaceChildren();
  for (const [key, value] of Object.entries(match.userInfo ?? {})) addInfo(key, patternText(value));
  const mayAnswer = may("answer") && may("destructive");
  $("silenceOption").value = mayAnswer ? option ?? "" : "";
  $("silenceOption").disabled = !mayAnswer;
  $("optionHint").hidden = !mayAnswer;
  $("withholdsHint").hidden = mayAnswer;
  $("silenceComment").value = comment ?? "";
  $("silenceNarrow").replaceChildren(...narrower.map(([name, value]) =>
    chip(`only ${name} ${value}`, () => { field(name).value = value; })));
  suggest("silenceOptions", options ?? openOptions());
  suggestOrigins();
}

/** Chips for the facts of the report. */
fillSilenceForm.offer = (userInfo) => {
  const entries = Object.entries(userInfo).map(([key, value]) => [key, digitsOf(value)])
    .filter(([, value]) => isShort(value)).slice(0, 4);
  $("silenceNarrow").append(...entries.map(([key, value]) =>
    chip(`only ${key} ${value}`, () => addInfo(key, literal(value)))));
};

const isShort = (value) => ["string", "number"].includes(typeof value) && String(value).length < 60;

function chip(text, use) {
  const button = el("button", {
    type: "button", className: "chip", textContent: shown(text, 80),
    onclick: () => {
      use();
      form().dispatchEvent(new Event("input", { bubbles: true }));
      const next = button.nextElementSibling ?? $("silenceAddInfo");
      button.remove();
      next.focus();
    },
  });
  return button;
}

/** A field of userInfo and its pattern. */
export function addInfo(key = "", value = "") {
  if ($("silenceInfo").children.length >= INFO_MAX) return;
  const input = (name, label, text) => el("input", {
    className: name, ariaLabel: label, placeholder: label, value: text, autocomplete: "off",
    spellcheck: false,
  });
  const remove = el("button", {
    type: "button", textContent: "✕", ariaLabel: "Remove this field",
    onclick: () => {
      line.remove();
      form().dispatchEvent(new Event("input", { bubbles: true }));
      $("silenceAddInfo").focus();
    },
  });
  const line = el("div", { className: "infoLine" }, input("key", "userInfo key", key),
    input("value", "its text", value), remove);
  $("silenceInfo").append(line);
  if (!key) line.firstChild.focus();
}

function openOptions() {
  const options = new Map();
  for (const item of state.items.values()) {
    if (isOpen(item)) for (const option of item.options) options.set(option.id, option);
    if (options.size >= 50) break;
  }
  return [...options.values()];
}

function suggest(list, options) {
  $(list).replaceChildren(...options.map(({ id, title }) =>
    el("option", { value: id, label: shown(title, 80) })));
}

function suggestOrigins() {
  const items = [...state.items.values()].filter((item) => item.origin);
  const origins = new Map(items.map((item) => [item.origin, originOf(item)]));
  const names = [...origins.keys()].sort().slice(0, 100);
  suggest("silenceOrigins", names.map((id) => ({ id, title: origins.get(id) })));
}

export function readSilenceForm() {
  const match = {};
  for (const name of NAMES) {
    const pattern = parsedPattern(field(name).value, name === "code");
    if (pattern !== undefined) match[name] = pattern;
  }
  const info = [...$("silenceInfo").children].map((line) =>
    [line.querySelector(".key").value.trim(), parsedPattern(line.querySelector(".value").value)])
    .filter(([key, pattern]) => key && pattern !== undefined);
  if (info.length > 0) match.userInfo = Object.fromEntries(info);
  const choice = field("duration").value;
  const own = Number($("silenceAmount").value) * Number($("silenceUnit").value);
  return {
    match, isEmpty: Object.keys(match).length === 0, comment: $("silenceComment").value.trim(),
    option: $("silenceOption").value.trim(), alsoOpen: $("silenceOpen").checked,
    forMilliseconds: choice === "own" ? Math.round(own) : Number(choice),
  };
}

/** Shows a problem beside the field that the server's text names first, else below the form. */
export function showProblem(text) {
  const [path, ...rest] = text.split(": ");
  const places = [...form().querySelectorAll("[data-problem]")];
  const place = places.filter((each) => isWithin(path, each.dataset.problem))
    .sort((a, b) => b.dataset.problem.length - a.dataset.problem.length)[0];
  const box = place ?? $("silenceProblem");
  box.textContent = shown(place && rest.length ? rest.join(": ") : text, 300);
  box.hidden = false;
  const input = place && form().querySelector(`[aria-describedby~="${place.id}"]`);
  if (!input) return;
  input.ariaInvalid = "true";
  if (!form().contains(document.activeElement) || document.activeElement === $("silenceSave")) {
    input.focus();
  }
}

export const isWithin = (path, name) => path === name || path.startsWith(`${name}.`);

/** Hides the problems of fields for which `isMeant` is true. */
export function clearProblems(isMeant = () => true) {
  for (const place of form().querySelectorAll(".problem")) {
    if (isMeant(place.dataset.problem ?? "")) {
      Object.assign(place, { hidden: true, textContent: "" });
    }
  }
  for (const input of form().querySelectorAll("[aria-invalid]")) {
    const places = input.getAttribute("aria-describedby").split(" ").map($);
    if (places.every((place) => place.hidden !== false)) input.ariaInvalid = null;
  }
}
