// One response on the page: text as it arrives, tools as they start and end, charts, and errors. The model's text may
// contain **bold**, lists with "-" and [chart: …] lines; everything else is shown as written.

import { createChart } from './chart.js';
import { element } from './dom.js';

/** @type {Readonly<Record<string, string>>} */
const toolNames = {
  get_balances: 'Balances',
  get_spending: 'Spending',
  get_spending_by_month: 'Spending by month',
  list_transactions: 'Transactions',
  get_budgets: 'Budgets',
};

export class AnswerView {
  element = element('div', { className: 'message assistant' });
  /** All text so far, as it is sent back to the server with the next question. */
  text = '';
  #words = '';
  /** @type {HTMLElement | undefined} */
  #block;
  #tools = new Map();
  /** Charts by what they show: text is rendered again with each piece, charts are not. */
  #charts = new Map();
  #waiting = element('div', { className: 'waiting' }, element('i'), element('i'), element('i'));

  constructor() {
    this.element.append(this.#waiting);
  }

  /** @param {string} words */
  addWords(words) {
    // Text after a tool is a new paragraph.
    if (this.#block === undefined) {
      this.#block = element('div', { className: 'words' });
      this.#words = '';
      if (this.text !== '') this.text = `${this.text.trimEnd()}\n\n`;
      this.element.insertBefore(this.#block, this.#waiting);
    }
    this.text += words;
    this.#words += words;
    this.#block.replaceChildren(...this.#render(this.#words));
  }

  /** @param {{ id: string, name: string, status: 'start' | 'end', durationMs?: number, isError?: boolean }} tool */
  showTool({ id, name, status, durationMs = 0, isError = false }) {
    if (status === 'start') {
      const chip = element('span', { className: 'tool' }, toolNames[name] ?? name);
      this.#tools.set(id, chip);
      this.element.insertBefore(chip, this.#waiting);
      this.#block = undefined;
      return;
    }
    const chip = this.#tools.get(id);
    chip?.classList.add(isError ? 'failed' : 'done');
    chip?.append(' ', element('small', {}, isError ? 'no result' : `${durationMs} ms`));
  }

  /**
   * @param {string} words
   * @param {() => void} [again]
   */
  showProblem(words, again) {
    const problem = element('div', { className: 'problem' }, element('span', {}, words));
    if (again !== undefined) {
      const button = element('button', { type: 'button' }, 'Try again');
      button.addEventListener('click', again);
      problem.append(button);
    }
    this.element.insertBefore(problem, this.#waiting);
  }

  end() {
    this.#waiting.remove();
    for (const chip of this.#tools.values()) {
      if (!chip.matches('.done, .failed')) chip.classList.add('failed');
    }
    if (this.#block !== undefined) this.#block.replaceChildren(...this.#render(this.#words));
  }

  /** @param {string} words */
  #render(words) {
    /** @type {HTMLElement[]} */
    const blocks = [];
    for (const line of words.split('\n')) {
      const chart = /^\[chart: (months|spending \d{4}-\d{2})\]$/.exec(line.trim())?.[1];
      const last = blocks.at(-1);
      if (chart !== undefined) blocks.push(this.#chart(chart));
      // A line that may become a chart is not shown as text first.
      else if (line.trim() === '' || line.startsWith('[chart')) blocks.push(element('p'));
      else if (line.startsWith('- ') && last instanceof HTMLUListElement) last.append(item(line));
      else if (line.startsWith('- ')) blocks.push(element('ul', {}, item(line)));
      else if (last instanceof HTMLParagraphElement && last.hasChildNodes())
        last.append(element('br'), ...inline(line));
      else blocks.push(element('p', {}, ...inline(line)));
    }
    return blocks.filter((block) => block.hasChildNodes() || block.matches('figure'));
  }

  /** @param {string} which */
  #chart(which) {
    const known = this.#charts.get(which) ?? createChart(which);
    this.#charts.set(which, known);
    return known;
  }
}

/** @param {string} line */
function item(line) {
  return element('li', {}, element('span', {}, ...inline(line.slice(2))));
}

/** @param {string} text */
function inline(text) {
  return text.split(/\*\*(.+?)\*\*/).map((part, index) => (index % 2 === 0 ? part : element('strong', {}, part)));
}
