// Charts as SVG, from the server's data. The model only selects the chart.

import { element, fetchJson, money, monthName, roundMoney, svgElement } from './dom.js';

/**
 * @typedef {{ category: string, spent: number, before: number, budget?: number }} Category
 * @typedef {{ total: number, categories: Category[] }} Spending
 * @typedef {{ months: { month: string, spent: number }[] }} Trend
 */

/** The available width, so that text has the same size on a phone and on a desktop. */
function widthIn(/** @type {HTMLElement} */ figure) {
  return Math.max(240, (figure.clientWidth || 592) - 32);
}

/**
 * A placeholder for a chart, filled when its data arrives.
 * @param {string} which `months`, or `spending` and a month
 */
export function createChart(which) {
  const figure = element('figure', { className: 'chart' });
  const [kind, month = ''] = which.split(' ');
  const drawn = kind === 'months' ? drawMonths(figure) : drawSpending(figure, month);
  drawn.catch(() => figure.replaceChildren(element('figcaption', {}, 'The chart could not be loaded.')));
  return figure;
}

/**
 * @param {HTMLElement} figure
 * @param {string} month
 */
async function drawSpending(figure, month) {
  /** @type {Spending | undefined} */
  const spending = await fetchJson(`/api/spending?month=${encodeURIComponent(month)}`);
  if (spending === undefined) throw new Error('no such month');
  const { categories, total } = spending;
  const width = widthIn(figure);
  const row = 34;
  const left = 108;
  const right = 78;
  const most = Math.max(...categories.flatMap(({ spent, before }) => [spent, before]), 1);
  const scale = (/** @type {number} */ amount) => Math.max(2, (amount / most) * (width - left - right));
  const rows = categories.map(({ category, spent, before, budget }, index) => {
    const y = index * row;
    const isOver = budget !== undefined && spent > budget;
    const bar = { x: left, y: y + 5, width: scale(spent), height: 13, rx: 3, class: isOver ? 'bar over' : 'bar' };
    return svgElement(
      'g',
      {},
      svgElement('text', { x: left - 10, y: y + 18, 'text-anchor': 'end' }, category),
      svgElement('rect', bar, svgElement('title', {}, titleOf(spent, before, budget))),
      svgElement('rect', { x: left, y: y + 20, width: scale(before), height: 5, rx: 2, class: 'bar-before' }),
      svgElement('text', { x: left + scale(spent) + 8, y: y + 16 }, roundMoney(spent)),
    );
  });
  const label = `Spending in ${monthName(month)}: ${categories.map((each) => `${each.category} ${money(each.spent)}`).join(', ')}`;
  const isAnyOver = categories.some(({ spent, budget }) => budget !== undefined && spent > budget);
  figure.replaceChildren(
    caption(`Spending in ${monthName(month)}`, total, [
      ['', 'this month'],
      ...(isAnyOver ? [/** @type {[string, string]} */ (['over', 'over budget'])] : []),
      ['before', 'month before'],
    ]),
    picture(label, [width, categories.length * row], rows),
  );
}

/** @param {HTMLElement} figure */
async function drawMonths(figure) {
  /** @type {Trend | undefined} */
  const trend = await fetchJson('/api/months');
  if (trend === undefined) throw new Error('no months');
  const { months } = trend;
  const width = widthIn(figure);
  const height = 190;
  const base = height - 24;
  const step = width / months.length;
  const most = Math.max(...months.map(({ spent }) => spent), 1);
  const columns = months.map(({ month, spent }, index) => {
    const tall = (spent / most) * (base - 24);
    const middle = index * step + step / 2;
    return svgElement(
      'g',
      {},
      svgElement('rect', {
        x: middle - step * 0.3,
        y: base - tall,
        width: step * 0.6,
        height: tall,
        rx: 4,
        class: 'bar',
      }),
      svgElement('text', { x: middle, y: base - tall - 8, 'text-anchor': 'middle' }, roundMoney(spent)),
      svgElement(
        'text',
        { x: middle, y: height - 4, 'text-anchor': 'middle', class: 'quiet' },
        monthName(month, 'short'),
      ),
    );
  });
  const label = `Spending by month: ${months.map(({ month, spent }) => `${monthName(month)} ${money(spent)}`).join(', ')}`;
  const total = months.reduce((sum, { spent }) => sum + spent, 0);
  figure.replaceChildren(caption('Spending by month', total, []), picture(label, [width, height], columns));
}

/**
 * @param {string} label
 * @param {readonly [width: number, height: number]} size
 * @param {readonly Node[]} parts
 */
function picture(label, [width, height], parts) {
  return svgElement('svg', { 'viewBox': `0 0 ${width} ${height}`, 'role': 'img', 'aria-label': label }, ...parts);
}

/**
 * @param {string} title
 * @param {number} total
 * @param {readonly [kind: string, words: string][]} legend
 */
function caption(title, total, legend) {
  const marks = legend.map(([kind, words]) => element('span', { className: `legend ${kind}` }, words));
  return element(
    'figcaption',
    {},
    element('b', {}, `${title}: ${money(total)}`),
    element('span', { className: 'legends' }, ...marks),
  );
}

/**
 * @param {number} spent
 * @param {number} before
 * @param {number | undefined} budget
 */
function titleOf(spent, before, budget) {
  const planned = budget === undefined ? '' : `, budget ${money(budget)}`;
  return `${money(spent)}, month before ${money(before)}${planned}`;
}
