// Drawing, at most once per animation frame, however much has changed.
import { $ } from "./elements.js";
import { state } from "./state.js";
import { shown } from "./text.js";

const drawers = [];
let isFramed = false;

/** Registers a drawer for every frame, in the order of the calls. */
export function onFrame(...drawing) { drawers.push(...drawing); }

export function schedule() {
  if (isFramed) return;
  isFramed = true;
  requestAnimationFrame(draw);
}

function draw() {
  isFramed = false;
  for (const drawer of drawers) guarded(drawer);
}

/** What does its work at once, and again at most once in this time; also in a hidden tab, which has
 *  no frames. */
export function paced(pause, work) {
  let [timer, last] = [null, -Infinity];
  const run = () => {
    [timer, last] = [null, performance.now()];
    work();
  };
  return () => {
    if (timer !== null) return;
    const rest = last + pause - performance.now();
    if (rest > 0) timer = setTimeout(run, rest); else run();
  };
}

/** One search at a time, which may take seconds; what is wanted meanwhile follows as one. */
export function inTurn(search) {
  let [isSearching, isWanted] = [false, false];
  return async () => {
    isWanted = true;
    if (isSearching) return;
    isSearching = true;
    try {
      while (isWanted) {
        isWanted = false;
        await search().catch((error) => { if (!isWanted) throw error; });
      }
    } finally {
      isSearching = false;
    }
  };
}

/** Draws. A drawer that fails stops the page, whose content would no longer be true. */
export function guarded(drawer) {
  if (state.fault) return;
  try {
    drawer();
  } catch (error) {
    state.fault = error;
    console.error(error);
    stop(error);
  }
}

function stop(error) {
  for (const panel of document.querySelectorAll("main")) panel.inert = true;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close("");
  const [text, button] = $("banner").children;
  text.textContent = "This page has a fault and accepts no more answers. Reload it. If that does "
    + `not help, use bus-node inbox in a terminal. (${shown(error, 200)})`;
  button.textContent = "Reload";
  $("banner").hidden = false;
}
