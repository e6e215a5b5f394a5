// The page's own script: it fills in computed parts, sends changes, and watches long work.
// It computes nothing and loads nothing from elsewhere. Texts from the table are only ever text:
// the server escapes them in the parts that it sends.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
let revision = Number(document.body.dataset.revision);

function boxed(text) {
  const box = document.createElement("div");
  box.className = "box warn";
  box.setAttribute("role", "alert");
  for (const line of String(text).split("\n")) {
    const p = document.createElement("p");
    p.textContent = line;
    box.append(p);
  }
  return box;
}

const say = (text) => $("#message").replaceChildren(...(text ? [boxed(text)] : []));

// A refusal; where a sheet must be chosen, with a button for each.
function refuse(problem) {
  say(problem.message);
  const {path, sheets = []} = problem.found || {};
  for (const name of sheets) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.dataset.open = path;
    button.dataset.table = name;
    button.textContent = name;
    $("#message .box").append(button, " ");
  }
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
  });
  const isJson = (answer.headers.get("Content-Type") || "").includes("json");
  const found = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) {
    const problem = new Error(isJson ? found.error : "The page must be opened again: start `gyges studio` again.");
    problem.status = answer.status;
    problem.found = found;
    throw problem;
  }
  return {found, answer};
}

// ---- what is under way: the page is "ready" once it listens and has the answer to all it asked

let under_way = 0;
async function working(work) {
  under_way += 1;
  document.body.dataset.state = "working";
  try { return await work(); } finally { if (!(under_way -= 1)) document.body.dataset.state = "ready"; }
}
const on = (kind, react) => document.addEventListener(kind, (event) => working(() => react(event)));
// Another page is on its way: this one is not ready any more.
const leave = (address) => { location.assign(address); return new Promise(() => {}); };

// ---- parts that the server computes

const running = new WeakMap();

const fill = (place, request) => working(() => fill_now(place, request));

async function fill_now(place, request) {
  const mine = {};
  running.set(place, mine);
  place.setAttribute("aria-busy", "true");
  try {
    let answer = await request();
    for (;;) {
      if (running.get(place) !== mine) return;
      const text = await answer.text();
      if (running.get(place) !== mine) return;
      if (!answer.ok) {
        let said = text;
        try { said = JSON.parse(text).error; } catch { /* not JSON: shown as it is */ }
        place.replaceChildren(boxed(said));
        break;
      }
      swap(place, text);
      const state = answer.headers.get("X-State");
      if (state !== "running" && state !== "waiting") {
        place.dispatchEvent(new CustomEvent("filled", {bubbles: true, detail: {state}}));
        break;
      }
      answer = await fetch(`/job/${answer.headers.get("X-Job")}`);
    }
  } catch (problem) {
    if (running.get(place) !== mine) return;
    const said = "The studio does not answer. It was stopped, or this computer is very busy. Every step up to now is saved: reload this page, or start the studio again.";
    place.replaceChildren(boxed(said));
    console.warn(problem.message);
  } finally {
    if (running.get(place) === mine) place.removeAttribute("aria-busy");
  }
}

function swap(place, text) {
  const inside = document.activeElement && place.contains(document.activeElement);
  const focused = inside ? document.activeElement.id : "";
  const open = $$("details[open][id]", place).map((one) => one.id);
  place.innerHTML = text;
  for (const id of open) { const one = document.getElementById(id); if (one) one.open = true; }
  if (focused) { const one = document.getElementById(focused); if (one) one.focus(); }
  draw(place);
}

const load = (place) => fill(place, () => fetch(`/part/${place.dataset.part}`));
const reload = () => $$("[data-part]").forEach(load);

async function refresh_project() {
  const place = $("#project");
  if (!place) return;
  const wasOpen = $("#project-file")?.open;
  const answer = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = $("#project", page);
  if (fresh) place.replaceChildren(...fresh.childNodes);
  if (wasOpen && $("#project-file")) $("#project-file").open = true;
  revision = Number(page.body.dataset.revision);
  document.body.dataset.revision = revision;
  if (document.body.dataset.page === "publish") {
    const main = $("main", page), focused = document.activeElement?.id;
    if ($("#published").hasAttribute("aria-busy")) $("#published", main).replaceWith($("#published"));
    $("main").replaceChildren(...main.childNodes);
    if (focused) document.getElementById(focused)?.focus();
  }
}

async function change(body, path = "/do/change") {
  say("");
  try {
    await post(path, {revision, ...body});
    await refresh_project();
    return true;
  } catch (problem) {
    say(problem.message);
    if (problem.status === 409) await refresh_project();
    return problem.status === 409;
  }
}

async function changed(body, path) {
  const focused = document.activeElement?.id;
  await change(body, path);
  const place = document.getElementById(focused);
  if (place && document.activeElement === document.body) focus_near(place);
  reload();
}

// The keyboard goes on where it was, even if that button cannot be pressed again.
function focus_near(place) {
  const near = place.disabled ? $$("button:not(:disabled)", place.parentElement)[0] || $("#main") : place;
  near.focus();
}

// ---- pictures

function theme(layout) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"), automargin: true};
  const made = {
    autotypenumbers: "strict", height: 340, margin: {l: 50, r: 20, t: 30, b: 50},
    legend: {orientation: "h", y: 1.02, yanchor: "bottom"}, ...layout,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: {family: "system-ui, sans-serif", color: colour("--ink"), size: 14},
  };
  for (const key of ["xaxis", "yaxis"]) if (made[key]) made[key] = {...made[key], ...axis};
  return made;
}

let plotly;
function library() {
  plotly ||= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "/plotly.js";
    script.onload = () => done(window.Plotly);
    script.onerror = () => failed(new Error("the pictures cannot be drawn"));
    document.head.append(script);
  });
  return plotly;
}

const draw = (root) => working(() => draw_now(root));

async function draw_now(root) {
  for (const place of $$("[data-plot]", root)) {
    const lazy = place.closest("details[data-lazy]");
    if (lazy && !lazy.open) { lazy.addEventListener("toggle", () => draw(lazy), {once: true}); continue; }
    if (place.dataset.drawn) continue;
    place.dataset.drawn = "yes";
    const figure = JSON.parse($("script[type='application/json']", place.parentElement).textContent);
    const Plotly = await library();
    if (place.isConnected) await Plotly.newPlot(place, figure.data, theme(figure.layout), {displayModeBar: false, responsive: true});
  }
  const place = $("[data-explore]", root);
  if (place && !place.dataset.drawn) { place.dataset.drawn = "yes"; await draw_explore(place); }
}

async function draw_explore(place) {
  const points = JSON.parse($("script.points", place.parentElement).textContent);
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--accent").trim(), now = style.getPropertyValue("--bar-after").trim();
  const kinds = {current: "your project", method: "other methods", size: "other group sizes", node: "nodes of the lattice"};
  const symbols = {current: "star", method: "diamond", size: "circle", node: "square"};
  const chosen = $("[data-measure]"), measure = chosen.value;
  show_risks(measure);
  const traces = Object.entries(kinds).map(([kind, name]) => {
    const shown = points.filter((one) => one.kind === kind);
    return {
      name, mode: "markers", x: shown.map((one) => one.loss), y: shown.map((one) => one.risks[measure].number),
      customdata: shown.map((one) => one.number),
      text: shown.map((one) => `${one.title.replace(/[<&]/g, " ")}: ${one.risks[measure].words} ${measure === "row" ? "chance" : "certain"}, ${one.loss_words} lost`),
      hovertemplate: "%{text}<extra></extra>",
      marker: {
        size: kind === "current" ? 15 : 11, color: kind === "current" ? now : ink,
        symbol: shown.map((one) => symbols[kind] + (one.risks[measure].is_undominated || kind === "current" ? "" : "-open")),
      },
    };
  }).filter((one) => one.x.length);
  const Plotly = await library();
  if (!place.isConnected) return;
  await Plotly.newPlot(place, traces, theme({
    height: 420,
    xaxis: {title: {text: "detail lost"}, tickformat: ".0%", rangemode: "tozero"},
    yaxis: {title: {text: chosen.selectedOptions[0].text.toLowerCase()}, tickformat: ".0%", range: [0, 1.05]},
  }), {displayModeBar: false, responsive: true});
  place.on("plotly_click", (event) => see([event.points[0].customdata]));
}

// The table shows the risk that is chosen above it.
function show_risks(measure) {
  for (const one of $$("[data-risk]")) one.hidden = one.dataset.risk !== measure;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const place of $$("[data-drawn]")) { delete place.dataset.drawn; }
  draw(document);
});

// ---- sliders

const waiting = new Map();

const numbers_of = (card) => Object.fromEntries($$("[data-exact]", card).map((one) => [one.dataset.key, one.value]));

function rule_of(card) {
  const {rule, number, point} = card.dataset;
  return {
    rule, number: number === undefined ? null : Number(number), point: point ? JSON.parse(point) : null,
    numbers: numbers_of(card), value: $("[data-value]", card)?.value,
  };
}

// A number as a slider can show it: "1/2" is 0.5.
function decimal(text) {
  const [above, below = "1"] = String(text).split("/");
  return Number(above) / Number(below);
}

// What follows from a card's numbers, as the server computes it: upper bounds are rounded up.
function derived_words({beta, delta}) {
  const up = (number) => (Math.ceil(Number((number * 100).toFixed(9))) / 100).toLocaleString("en", {maximumFractionDigits: 2});
  const found = {beta_share: 1 + decimal(beta), delta_factor: Math.exp(decimal(delta))};
  return Object.fromEntries(Object.entries(found).filter(([, one]) => Number.isFinite(one)).map(([name, one]) => [name, up(one)]));
}

async function ask_all(place) {
  for (const card of $$("[data-rule]:not([data-rule=beliefs]), [data-rule][data-number]", place)) {
    if (card.isConnected) await ask_slider(card);
  }
}

function ask_slider(card) {
  const template = $("[data-template]", card);
  if (template) {
    const value = $("[data-value]", card)?.value ?? "*";
    const words = {...numbers_of(card), ...derived_words(numbers_of(card)), limited: value === "*" ? "of anyone's value" : `that anyone has ${value}`};
    template.textContent = template.dataset.template.replace(/\{(\w+)\}/g, (whole, key) => words[key] ?? whole);
  }
  const state = waiting.get(card) || {busy: false, again: false};
  waiting.set(card, state);
  if (state.busy) { state.again = true; return Promise.resolve(); }
  state.busy = true;
  const place = $("[data-answer]", card);
  place.classList.add("waiting");
  const request = () => fetch("/slider", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(rule_of(card))});
  return fill(place, request).finally(() => {
    place.classList.remove("waiting");
    state.busy = false;
    if (state.again) { state.again = false; ask_slider(card); }
  });
}

document.addEventListener("input", (event) => {
  const card = event.target.closest("[data-rule]");
  if (!card || !event.target.dataset.key) return;
  const {key} = event.target.dataset;
  const range = $(`input[type=range][data-key="${key}"]`, card), exact = $(`[data-exact][data-key="${key}"]`, card);
  if (event.target === range) exact.value = range.value;
  else if (Number.isFinite(decimal(exact.value))) range.value = decimal(exact.value);
  range.setAttribute("aria-valuetext", exact.value);
  $("[data-answer]", card).setAttribute("aria-live", "polite");  // what was not asked for is not read aloud
  ask_slider(card);
});

on("change", async (event) => {
  const target = event.target, card = target.closest("[data-rule]");
  if (card && (target.dataset.key || target.matches("[data-value]"))) {
    if (target.matches("[data-value]")) ask_slider(card);
    if (card.dataset.number !== undefined && await change({kind: "rule", ...rule_of(card)})) $$("#now").forEach(load);
    return;
  }
  const kind = target.dataset.change;
  if (kind) {
    const column = target.closest("[data-column]")?.dataset.column;
    const bodies = {
      role: () => ({column, role: target.value, proposed: proposed_of([column])}), format: () => ({column, to: target.value}), encoding: () => ({to: target.value}), several: () => ({to: target.value}), kind: () => ({column, to: target.value}),
      identifies: () => ({column, identifies: !target.checked}), missing: () => ({to: target.value}),
      marks: () => ({to: target.value}), publish: () => ({key: target.dataset.key, to: target.value}),
      noise: () => ({key: target.dataset.key, to: target.value}), totals: () => ({are_people: target.checked}), spelling: () => ({is_exact: target.checked}),
      domain: () => {
        const box = target.closest("[data-domain]"), of = (name) => $(`[name=${name}]`, box)?.value ?? null;
        return {column: box.dataset.domain, first: of("first"), last: of("last"), values: of("values")};
      },
      rows: () => {
        const {rows, by} = target.form.elements;
        return {to: rows.value, by: by.value, written: by.selectedOptions[0]?.dataset.written ?? ""};
      },
    };
    const body = bodies[kind]();
    if (target.id === "rows-by" && body.to === "one") return;  // it counts once a row is chosen
    if (kind === "domain" && (body.first === "" || body.last === "")) return;  // the other end comes
    await changed({kind, ...body});
    return;
  }
  if (target.id === "file" && target.files.length) await send_data(target.files[0]);
  if (target.id === "check-files" && target.files.length) await send_check([...target.files]);
  if (target.matches("[data-pin]")) pins_changed();
  if (target.matches("[data-measure]")) { delete $("[data-explore]").dataset.drawn; await draw($("#main")); }
  if (target.matches("select[name=how]")) show_fields(target.closest("form"));
});

document.addEventListener("filled", (event) => {
  if (event.target.dataset.part === "values") ask_all(event.target);
  if (event.target.dataset.part === "columns") $$(".hform", event.target).forEach(show_fields);
  if (event.target.dataset.part === "explore") pins_changed();
  if (event.target.id === "published") refresh_now();
});
const refresh_now = () => $$("#now").forEach(load);

// ---- buttons and forms

on("click", async (event) => {
  const button = event.target.closest("button, .chip");
  if (!button) return;
  const {dataset} = button;
  if (dataset.do) await changed({}, `/do/${dataset.do}`);
  else if (dataset.cancel) { button.disabled = true; await post(`/job/${dataset.cancel}/cancel`, {}); }
  else if (dataset.open) await open_source({path: dataset.open, table: dataset.table ?? ""});
  else if (dataset.policy) await changed({kind: "policy", policy: dataset.policy});
  else if (dataset.ruleToggle !== undefined) {
    const card = button.closest("[data-rule]");
    await changed({kind: "rule", ...rule_of(card), remove: card.dataset.number !== undefined});
  } else if (dataset.useNoise !== undefined) await changed({kind: "use noise", to: $("[data-epsilon]").value});
  else if (dataset.chooseAll !== undefined) for (const one of $$("[data-chosen]")) one.checked = one.closest(".column").matches(".role-quasi-identifier");
  else if (dataset.roles !== undefined) await change_roles();
  else if (dataset.groups !== undefined) await changed({kind: "publish", key: "method", to: "partition"});
  else if (dataset.see) await see([dataset.see]);
  else if (dataset.compare !== undefined) await see(pinned());
  else if (dataset.use) await changed({number: dataset.use}, "/do/use");
  else if (dataset.copy) { await navigator.clipboard.writeText($(dataset.copy).textContent); button.textContent = "Copied"; }
  else if (button.matches(".chip")) button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
  else if (dataset.groupSelected !== undefined) group_selected(button.closest(".groups"));
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches(".chip") && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); event.target.click(); }
});

// While a table is looked at, the page shows how far that is; the answer comes by itself.
async function show_opening(answer) {
  let is_open = true;
  answer.catch(() => {}).finally(() => { is_open = false; $("#opening").replaceChildren(); });
  try {
    while (is_open) {
      const found = await fetch("/opening"), text = await found.text();
      if (is_open && text) swap($("#opening"), text);
      else await new Promise((done) => setTimeout(done, 300));
    }
  } catch { /* the answer says that the studio was stopped */ }
}

function watched(answer) { show_opening(answer); return answer; }

async function open_source(body) {
  say("");
  const policy = $("input[name=policy]:checked")?.value;
  document.body.setAttribute("aria-busy", "true");
  try {
    const {found} = await watched(post("/do/open", {policy, ...body}));
    await leave(found.go);
  } catch (problem) { refuse(problem); } finally { document.body.removeAttribute("aria-busy"); }
}

on("submit", async (event) => {
  const form = event.target;
  event.preventDefault();
  const given = Object.fromEntries(new FormData(form));
  if (form.dataset.form === "open") await open_source(given);
  else if (form.dataset.form === "skyline") fill($("#skyline"), () => send("/part/skyline/of", given));
  else if (form.dataset.form === "publish") publish(form, event.submitter);
  else if (form.dataset.form === "check") fill($("#checked"), () => send("/do/check", given));
  else if (form.dataset.form === "check-file") {
    const quasi = $$("input[name=quasi]:checked", form).map((one) => one.value);
    const {given: path, dropped} = form.dataset;
    fill($("#checked"), () => send("/do/check", {path, dropped, quasi, sensitive: given.sensitive}));
  } else if (form.dataset.hierarchy) await use_hierarchy(form);
});

const send = (path, body) => fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});

function publish(form, button) {
  say("");
  if (button.value && $("#limits")?.hasAttribute("aria-busy")) {
    say("What attackers can learn is still being computed. It is shown under “What is not promised”: read it before you publish.");
    return;
  }
  const body = {
    revision, final: button.value === "yes", confirmed: form.confirmed.checked, overwrite: form.overwrite.checked,
    inside: form.inside.checked ? form.inside_folder.value : "", despite_exposure: form.despite_exposure.checked,
  };
  fill($("#published"), () => send("/do/publish", body));
}

// How the columns would be read and generalized once they are published.
function proposed_of(columns) {
  const shown = $$("[data-column]").filter((one) => columns.includes(one.dataset.column));
  return Object.fromEntries(shown.map((one) => [one.dataset.column, JSON.parse(one.dataset.proposed)]));
}

async function change_roles() {
  const columns = $$("[data-chosen]:checked").map((one) => one.closest("[data-column]").dataset.column);
  if (!columns.length) { say("Choose the columns first, by the box beside their names."); return; }
  await changed({kind: "roles", columns, role: $("#roles").value, proposed: proposed_of(columns)});
}

// ---- alternatives

const pinned = () => $$("[data-pin]:checked").map((one) => one.dataset.pin);
function pins_changed() { const button = $("[data-compare]"); if (button) button.disabled = !pinned().length; }
async function see(numbers) {
  const query = numbers.slice(0, 4).map((one) => `pin=${encodeURIComponent(one)}`).join("&");
  await fill($("#compare"), () => fetch(`/part/compare?${query}`));
  $("#compare").scrollIntoView({block: "start", behavior: "smooth"});
}

// ---- hierarchies

function show_fields(form) {
  const how = form.elements.how.value;
  for (const one of $$("[data-for]", form)) one.hidden = one.dataset.for !== how;
}

const chip_of = (text) => {
  const chip = document.createElement("span");
  chip.className = "chip name";
  chip.role = "button";
  chip.tabIndex = 0;
  chip.setAttribute("aria-pressed", "false");
  chip.textContent = text;
  return chip;
};

function group_named(groups, name) {
  const known = $$(".bin", groups).find((one) => one.dataset.group === name);
  if (known) return known;
  const made = document.createElement("div");
  made.className = "bin";
  made.dataset.group = name;
  made.draggable = true;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", `Group ${name}`);
  const label = document.createElement("p");
  label.className = "label";
  label.append(chip_of(name));
  made.append(label);
  $$(":scope > .bin", groups).at(-1).after(made);
  return made;
}

// Put a value or a whole group into a group; the place without a group takes groups out of others.
function put(what, bin) {
  if (what.contains(bin)) return;
  if (!bin.dataset.group && what.matches(".bin")) $$(":scope > .bin", bin.parentElement).at(-1).after(what);
  else bin.append(what);
}

function group_selected(groups) {
  const input = $("input[name=group]", groups), name = input.value.trim();
  const chosen = $$(".chip[aria-pressed=true]", groups);
  if (!name || !chosen.length) { input.focus(); return; }
  const bin = group_named(groups, name);
  for (const chip of chosen) {
    chip.setAttribute("aria-pressed", "false");
    put(chip.matches(".name") ? chip.closest(".bin") : chip, bin);
  }
  $("[data-said]", groups).textContent = `${chosen.map((one) => one.textContent).join(", ")}: now in ${name}`;
}

// A group as the project file has it: its values, or its groups and each other value by itself.
function tree_of(bin) {
  const values = $$(":scope > .chip", bin).map((one) => one.textContent), inner = $$(":scope > .bin", bin);
  if (!inner.length) return values;
  return Object.fromEntries([...inner.map((one) => [one.dataset.group, tree_of(one)]), ...values.map((one) => [one, [one]])]);
}

async function use_hierarchy(form) {
  const how = form.elements.how.value, column = form.dataset.hierarchy;
  const body = {kind: "hierarchy", column, how};
  if (how === "intervals") body.widths = form.elements.widths.value;
  if (how === "calendar") body.units = $$("input[name=units]:checked", form).map((one) => one.value);
  if (how === "coding") Object.assign(body, {
    width: form.elements.width.value, bottom: form.elements.bottom.value, top: form.elements.top.value,
    values: JSON.parse($("script.values", form).textContent),
  });
  if (how === "groups") {
    body.groups = {};
    for (const bin of $$(".groups > .bin", form)) {
      if (bin.dataset.group) body.groups[bin.dataset.group] = tree_of(bin);
      else for (const value of tree_of(bin)) body.groups[value] = [value];
    }
  }
  if (how === "csv") {
    const [file] = form.elements.csv.files;
    if (!file) { say("Choose the file of the hierarchy."); return; }
    try { body.path = (await upload(file, {purpose: "hierarchy"})).path; } catch (problem) { say(problem.message); return; }
  }
  await changed(body);
}

// ---- dragging: values into groups, files onto the page

let dragged = null;
document.addEventListener("dragstart", (event) => { if (event.target.matches?.(".chip, .bin")) { dragged = event.target; event.dataTransfer.setData("text/plain", event.target.textContent); } });
document.addEventListener("dragover", (event) => {
  const place = event.target.closest?.(dragged ? ".bin" : "[data-drop]");
  if (!place) return;
  event.preventDefault();
  place.classList.add("over");
});
document.addEventListener("dragleave", (event) => event.target.closest?.(".over")?.classList.remove("over"));
on("drop", async (event) => {
  for (const one of $$(".over")) one.classList.remove("over");
  if (dragged) {
    const bin = event.target.closest(".bin");
    if (bin) { event.preventDefault(); put(dragged, bin); }
    dragged = null;
    return;
  }
  event.preventDefault();
  const place = event.target.closest("[data-drop]");
  const files = [...event.dataTransfer.files];
  if (!place || !files.length) return;
  if (place.dataset.drop === "data") await send_data(files[0]);
  else await send_check(files);
});
document.addEventListener("dragend", () => { dragged = null; });

function upload(file, query) {
  const state = $("#upload-state");
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/upload?${new URLSearchParams({name: file.name, ...query})}`);
    request.upload.onprogress = (event) => { if (state && event.lengthComputable) state.textContent = `Sending ${file.name}: ${Math.round(100 * event.loaded / event.total)} %`; };
    request.upload.onload = () => { if (state) state.textContent = `Looking at ${file.name} …`; };
    request.onload = () => {
      if (state) state.textContent = "";
      let found = {};
      try { found = JSON.parse(request.responseText); } catch { found.error = new DOMParser().parseFromString(request.responseText, "text/html").body.textContent; }
      if (request.status === 200) { done(found); return; }
      failed(Object.assign(new Error(found.error || "The file was refused."), {found}));
    };
    request.onerror = () => failed(new Error("The file is too large, or the studio does not answer."));
    request.send(file);
  });
}

async function send_data(file) {
  say("");
  const policy = $("input[name=policy]:checked")?.value || "researchers";
  try { await leave((await watched(upload(file, {purpose: "data", policy}))).go); } catch (problem) { refuse(problem); }
}

async function send_check(files) {
  say("");
  let found = {};
  try {
    for (const file of files) found = await upload(file, {purpose: "check", ...(found.into ? {into: found.into} : {})});
  } catch (problem) { say(problem.message); return; }
  fill($("#checked"), () => send("/do/check", {dropped: found.dropped}));
}

// ---- another window changed the project

setInterval(async () => {
  if (document.hidden || revision < 0 || under_way) return;
  const seen = revision;
  try {
    const {revision: now} = await (await fetch("/pulse")).json();
    if (under_way || revision !== seen) return;  // this window is changing it itself
    if (now !== revision && now >= 0) await working(async () => { await refresh_project(); reload(); });
  } catch { /* the studio was stopped: the next click says so */ }
}, 2500);

$("nav [aria-current]")?.scrollIntoView({block: "nearest", inline: "center"});  // on a narrow screen
reload();
draw(document);
for (const place of $$("[data-job]")) fill(place, () => fetch(`/job/${place.dataset.job}`));
