// The texts of a page whose contrast with what lies behind them is below that of WCAG AA.
() => {
  const parts = (text) => { const found = text.match(/[\d.]+/g).map(Number); return found.length < 4 ? [...found, 1] : found; };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const behind = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) layers.push(parts(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), parts(getComputedStyle(document.documentElement).backgroundColor).slice(3)[0] ? [0, 0, 0] : [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => one / 255).map((p) => p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opacity = (one) => one ? Number(getComputedStyle(one).opacity) * opacity(one.parentElement) : 1;
  const weak = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (one.closest("svg, script, style, [disabled], .js-plotly-plot, .skip, meter, progress")) continue;
    const style = getComputedStyle(one), paper = behind(one), ink = parts(style.color);
    const shown = over([...ink.slice(0, 3), ink[3] * opacity(one)], paper);
    const [high, low] = [light(shown), light(paper)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : 4.5)) weak.add(`${one.tagName}.${one.className} ${ratio.toFixed(2)} ${walker.currentNode.textContent.trim().slice(0, 30)}`);
  }
  return [...weak];
}
