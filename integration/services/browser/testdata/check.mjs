// node check.mjs BROWSER MODULES SHOTS PAGE...: opens each page and prints what is wrong with it as JSON, a line each.
// SHOTS is a directory for pictures, or "".
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , browserPath, modules, shots, ...pages] = process.argv;
const require = createRequire(join(modules, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core'), 'utf8');

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
for (const file of pages) {
  for (const [width, height, scheme, media] of [[1280, 800, 'light', 'screen'], [400, 800, 'dark', 'screen'], [1280, 800, 'dark', 'screen'], [400, 800, 'light', 'screen'], [800, 1100, 'light', 'print']]) {
    const fault = (kind, text) => console.log(JSON.stringify({ page: basename(file), width, scheme, media, kind, text: String(text).slice(0, 400) }));
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, bypassCSP: true });
    const page = await context.newPage();
    const url = pathToFileURL(file).href;
    page.on('console', m => fault('console', m.type() + ': ' + m.text()));
    page.on('pageerror', e => fault('console', e.message));
    page.on('request', r => { if (r.url() !== url) fault('request', r.url()); });
    await page.goto(url);
    if (media === 'print') await page.emulateMedia({ media: 'print' });
    const shot = shots && (name => page.screenshot({ path: join(shots, `${basename(file, '.html')}-${name}-${width}-${scheme}-${media}.png`), fullPage: name === 'whole' }));
    if (shot) { await shot('first'); await shot('whole'); }
    for (const f of await page.evaluate(first)) fault(...f);
    for (const opened of [false, true]) {
      if (opened) await page.evaluate(() => document.querySelectorAll('details').forEach(d => { d.open = true; }));
      for (const f of await page.evaluate(layout)) fault(...f);
    }
    if (media === 'screen') {
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      for (const v of found.violations) fault('axe', `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`);
      await page.evaluate(() => { document.querySelectorAll('details').forEach(d => { d.open = false; }); scrollTo(0, 0); });
      await page.keyboard.press('Tab');
      for (const f of await page.evaluate(skip)) fault(...f);
    }
    await context.close();
  }
}
await browser.close();

// What the first screen has, and what is on every screenful. It runs in the page.
function first() {
  const out = [];
  if (innerWidth === 1280 && innerHeight === 800) {
    for (const e of document.querySelectorAll('header .facts, header section')) {
      if (e.getBoundingClientRect().bottom > innerHeight) out.push(['first screen', e.textContent.trim().slice(0, 60)]);
    }
  }
  const banner = document.querySelector('.not-private');
  if (banner) {
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      scrollTo(0, y);
      const r = banner.getBoundingClientRect();
      const seen = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
      if (r.top < 0 || r.bottom > innerHeight || !banner.contains(seen)) out.push(['banner', 'hidden at ' + y]);
    }
    if (getComputedStyle(banner).position !== 'fixed') out.push(['banner', 'not on every page']);
    scrollTo(0, 0);
  }
  return out;
}

// The first stop of the keyboard leads past the contents.
function skip() {
  const e = document.activeElement;
  if (!e || e.getAttribute('href') !== '#main' || e.getBoundingClientRect().left < 0) return [['keyboard', 'Tab does not reach the link to the content']];
  return [];
}

// Lines of text that overlap, leave the page or are cut off. It runs in the page.
function layout() {
  const out = [], lines = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) out.push(['overflow', `${document.documentElement.scrollWidth} wide`]);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('.hidden, .skip, nav, .not-private, style') || !parent.checkVisibility()) continue;
    const region = parent.closest('.scroll');
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width < 1 || r.height < 1) continue;
      let box = { left: r.left, right: r.right, top: r.top + r.height * .15, bottom: r.bottom - r.height * .15, node, text: node.data.trim() };
      if (region) { // what is scrolled away is not cut off
        const s = region.getBoundingClientRect();
        box = { ...box, left: Math.max(box.left, s.left), right: Math.min(box.right, s.right), top: Math.max(box.top, s.top), bottom: Math.min(box.bottom, s.bottom) };
        if (box.right - box.left < 1 || box.bottom - box.top < 1) continue;
      } else if (r.left < -.5 || r.right > width + .5) out.push(['outside', box.text]);
      lines.push(box);
    }
    for (let e = parent; e && e !== document.body && !e.matches('.scroll'); e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.overflowX !== 'visible' && style.display !== 'inline' && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)) out.push(['cut off', node.data.trim()]);
    }
  }
  lines.sort((a, b) => a.top - b.top);
  for (let i = 0; i < lines.length; i++) {
    for (let j = i + 1; j < lines.length && lines[j].top < lines[i].bottom - 1; j++) {
      const a = lines[i], b = lines[j];
      if (a.node !== b.node && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1) out.push(['overlap', `${a.text.slice(0, 100)} / ${b.text.slice(0, 100)}`]);
    }
  }
  return out.slice(0, 20);
}
