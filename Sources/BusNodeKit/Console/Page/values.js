// The values that an option asks for.
import { $, el } from "./elements.js";
import { dialogResult } from "./dialogs.js";
import { state } from "./state.js";
import { headingOf, number, optionTitle, shown } from "./text.js";

const LENGTH_MAX = 4096;
const NO_NUMBER = "Found what is not a number; expected a number.";
const SEVERAL_LINES = "Found several lines; this field takes one. bus-node inbox answer "
  + "--value-file takes a secret of several lines.";

/** Whether choosing the option opens the form. */
export const asksForValues = ({ fields }) => (fields?.length ?? 0) > 0;

/**
 * Asks for the values, with those given before and the server's refusal of one; null when the form
 * was cancelled or what it is for has ended: a presentation, its group, or all that are `selected`.
 */
export async function askValues(option, item, count, { given, problem, selected } = {}) {
  const all = count > 1 ? ` × ${number(count)}` : "";
  const title = shown(optionTitle(option), 260);
  $("valuesTitle").textContent = title + all;
  $("valuesText").textContent = `“${shown(headingOf(item), 300)}”`;
  const inputs = new Map(option.fields.map((field) =>
    [field.name, inputOf(field, given?.[field.name])]));
  $("valuesFields").replaceChildren(...option.fields.map((field) =>
    lineOf(field, inputs.get(field.name), problem)));
  $("valuesProblem").hidden = !problem || inputs.has(problem.field);
  $("valuesProblem").textContent = problem ? shown(problem.message, 600) : "";
  $("valuesSend").textContent = title + all;
  $("valuesSend").hidden = false;
  $("valuesSend").className = option.role === "destructive" ? "destructive" : "default";
  const note = $("valuesEnded");
  note.hidden = true;
  state.confirming = {
    item, selected, isGroup: count > 1, life: state.startedAt, end: endForm, note,
  };
  $("valuesDialog").firstElementChild.onsubmit = (event) => keepUnread(event, inputs);
  const result = dialogResult($("valuesDialog"));
  const first = problem ? inputs.get(problem.field) : null;
  (first ?? inputs.values().next().value).focus();
  const isSent = (await result) === "send";
  state.confirming = null;
  const values = isSent ? valuesOf(option.fields, inputs) : null;
  // No secret stays in the page.
  $("valuesFields").replaceChildren();
  return values;
}

/** Keeps a form with numbers that the browser cannot read, such as “5e”: it gives none of their
 *  texts, so that they would be sent as if nothing was typed. */
function keepUnread(event, inputs) {
  const isUnread = ({ validity }) => validity.badInput;
  const first = [...inputs.values()].find(isUnread);
  if (event.submitter?.value !== "send" || !first) return;
  event.preventDefault();
  for (const [name, input] of inputs) {
    const place = $(`problem-${name}`);
    place.hidden = !isUnread(input);
    place.textContent = isUnread(input) ? NO_NUMBER : "";
    input.ariaInvalid = isUnread(input) ? "true" : null;
  }
  first.focus();
}

/** Refuses a secret of several lines, as a key has: the field would join them to another one. */
function refuseLines(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const isRefused = /[\r\n]/.test(text.replace(/[\r\n]+$/, ""));
  const place = $(`problem-${event.target.name}`);
  place.hidden = !isRefused;
  place.textContent = isRefused ? SEVERAL_LINES : "";
  if (isRefused) event.preventDefault();
}

/** The form stays, empty: the rest of what is typed must not act as keys of the page. */
function endForm(text) {
  $("valuesFields").replaceChildren();
  $("valuesEnded").hidden = true;
  $("valuesSend").hidden = true;
  $("valuesProblem").textContent = text;
  $("valuesProblem").hidden = false;
  $("valuesProblem").focus();
}

function inputOf(field, given) {
  const value = given ?? field.default;
  const id = `value-${field.name}`;
  const common = {
    id, name: field.name, dir: "auto", autocomplete: "off", spellcheck: false,
    ariaRequired: String(field.required === true && field.default === undefined),
  };
  const text = value === undefined ? "" : String(value);
  switch (field.kind) {
    case "boolean": return el("input", { ...common, type: "checkbox", checked: value === true });
    case "choice": return choiceOf(field, common, text);
    case "number": return el("input", {
      ...common, type: "number", value: text, step: field.whole ? "1" : "any",
      ...bound("min", field.min), ...bound("max", field.max),
    });
    case "secret": return el("input", {
      ...common, type: "password", value: text, autocomplete: "new-password",
      dataset: { max: field.maxLength ?? LENGTH_MAX }, onpaste: refuseLines,
    });
    default: return el("input", {
      ...common, type: "text", value: text, dataset: { max: field.maxLength ?? LENGTH_MAX },
    });
  }
}

const bound = (name, value) => (value === undefined ? {} : { [name]: String(value) });

function choiceOf(field, common, text) {
  const none = text === "" ? [el("option", { value: "", textContent: "—" })] : [];
  const choices = field.choices.map((choice) =>
    el("option", { value: choice, textContent: shown(choice, 256), selected: choice === text }));
  return el("select", common, ...none, ...choices);
}

/** A label with its input, what is allowed, and the server's refusal. */
function lineOf(field, input, problem) {
  const hint = el("span", {
    className: "hint", id: `hint-${field.name}`, textContent: hintOf(field),
  });
  const isWrong = problem?.field === field.name;
  const refusal = el("span", {
    className: "problem", id: `problem-${field.name}`, role: "alert", hidden: !isWrong,
    textContent: isWrong ? `Found ${shown(problem.found, 200)}; expected ${
      shown(problem.expected, 400)}.` : "",
  });
  input.setAttribute("aria-describedby", `${hint.id} ${refusal.id}`);
  if (isWrong) input.setAttribute("aria-invalid", "true");
  const name = shown(field.label, 256) + (field.required && field.kind !== "boolean" ? " *" : "");
  const isCheck = field.kind === "boolean";
  return el("label", { className: isCheck ? "scope" : "", htmlFor: input.id },
    ...(isCheck ? [input, el("span", { textContent: name, dir: "auto" })]
      : [el("span", { textContent: name, dir: "auto" }), input]), hint, refusal);
}

function hintOf(field) {
  const range = (least, most) => {
    if (least !== undefined && most !== undefined) return `${least} to ${most}`;
    if (least !== undefined) return `at least ${least}`;
    return most === undefined ? "" : `at most ${most}`;
  };
  const length = range(field.minLength, field.maxLength);
  const facts = [
    field.whole && "a whole number", range(field.min, field.max),
    length && `${length} ${(field.maxLength ?? field.minLength) === 1 ? "character"
      : "characters"}`, field.pattern && `matches ${shown(field.pattern, 260)}`,
    !field.required && field.kind !== "boolean" && "optional",
  ];
  return facts.filter(Boolean).join(", ");
}

/** What was given; a field that was left empty is not. */
function valuesOf(fields, inputs) {
  const values = {};
  for (const field of fields) {
    const input = inputs.get(field.name);
    const value = valueOf(field, input);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function valueOf(field, input) {
  if (field.kind === "boolean") {
    // A box that was left alone is no answer where none is needed.
    const isAsked = field.required || field.default !== undefined;
    return input.checked || isAsked ? input.checked : undefined;
  }
  const text = input.value;
  if (text === "") return isEmptyGiven(field) ? "" : undefined;
  return field.kind === "number" ? Number(text) : text;
}

/** Whether an empty text is a value: it is allowed and asked for, or replaces a default. */
const isEmptyGiven = ({ kind, required, minLength, default: value }) =>
  (kind === "text" || kind === "secret") && (value !== undefined || (required && minLength === 0));
