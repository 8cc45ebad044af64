const response = await fetch("/api/v1/inbox");
document.querySelector("#inbox").textContent = JSON.stringify(await response.json(), null, 2);
