// Questions that stand in front of everything else.
import { $, openModal } from "./elements.js";
import { schedule } from "./frame.js";
import { myName, undoTime } from "./state.js";
import { number, shown } from "./text.js";

/** What the dialog was closed with; empty when it was left. */
export function dialogResult(dialog) {
  dialog.returnValue = "";
  openModal(dialog);
  return new Promise((resolve) => {
    const closed = () => {
      // That it was closed is told later: by then it may have been opened anew.
      if (dialog.open) return;
      dialog.removeEventListener("close", closed);
      resolve(dialog.returnValue);
    };
    dialog.addEventListener("close", closed);
  });
}

export async function askName() {
  $("nameField").value = myName();
  $("undoField").value = undoTime() / 1000;
  if (await dialogResult($("nameDialog")) !== "save") return;
  const name = $("nameField").value.trim();
  if (name) localStorage.setItem("errorbus.name", name);
  localStorage.setItem("errorbus.undo", $("undoField").value);
  drawName();
}

/** Who answers; asked the first time. Empty when nobody says. */
export async function ownName() {
  if (!myName()) await askName();
  return myName();
}

export function drawName() {
  $("who").textContent = myName() ? `You: ${shown(myName(), 24)}` : "Your name";
  schedule();
}

export function confirmed(option, item, count) {
  const all = count > 1 ? ` for all ${number(count)}` : "";
  $("confirmTitle").textContent = `${shown(option.title, 120)}${all}?`;
  $("confirmText").textContent =
    `“${shown(item.description, 300)}” It loses something that cannot be had back.`;
  $("confirmYes").textContent = shown(option.title, 120);
  return dialogResult($("confirmDialog"));
}

export const openHelp = () => dialogResult($("helpDialog"));
