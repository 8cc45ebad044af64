// Drawing, at most once per animation frame however much has changed.

const drawers = [];
let isFramed = false;

/** Names what is done in every frame, in the order of the calls. */
export function onFrame(...drawing) { drawers.push(...drawing); }

export function schedule() {
  if (isFramed) return;
  isFramed = true;
  requestAnimationFrame(draw);
}

function draw() {
  isFramed = false;
  for (const drawer of drawers) drawer();
}
