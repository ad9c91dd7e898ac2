// The page: an overview of the accounts, and a conversation with the assistant. It reads `POST /api/chat/stream`: frames of
// `data: {…}` until `data: [DONE]`. A stream that ends without it was interrupted, and the page says so.

import { AnswerView } from './answer.js';
import { byId, element, fetchJson, money, monthName } from './dom.js';

const log = byId('log', HTMLDivElement);
const form = byId('form', HTMLFormElement);
const question = byId('question', HTMLTextAreaElement);
const send = byId('send', HTMLButtonElement);
const stop = byId('stop', HTMLButtonElement);
const who = byId('who', HTMLSelectElement);
const suggestions = byId('suggestions', HTMLDivElement);

const suggested = ["What's my account balance?", 'Show spending for November', 'My budgets', 'Spending over time'];
const lost = 'The connection was lost before the answer was complete.';

/**
 * @typedef {{ category: string, budget: number, spent: number, left: number }} Budget
 * @typedef {{ id: string, name: string }} User
 * @typedef {{
 *   user: User, users: User[], total: number, accounts: { name: string, balance: number }[], month: string,
 *   budgets: Budget[]
 * }} Overview
 */

/** @type {{ role: 'user' | 'assistant', content: string }[]} */
let conversation = [];
/** @type {AbortController | undefined} */
let asking;
/** False after the user scrolled up to read. */
let isAtEnd = true;
let lastTop = 0;
/** A chart grows when its data arrives. */
const growth = new ResizeObserver(scroll);

/** @param {string} words */
async function ask(words) {
  if (asking !== undefined || words.trim() === '') return;
  conversation.push({ role: 'user', content: words });
  isAtEnd = true;
  log.append(element('div', { className: 'message user' }, words));
  await answer();
}

async function answer() {
  const view = new AnswerView();
  // Another user may start another conversation in the meantime.
  const own = conversation;
  log.append(view.element);
  growth.observe(view.element);
  showAsking(new AbortController());
  try {
    const problem = await readAnswer(view);
    if (problem !== undefined) view.showProblem(problem, () => again(view));
  } catch {
    if (asking?.signal.aborted) view.showProblem('Stopped.');
    else view.showProblem(lost, () => again(view));
  }
  view.end();
  if (view.text !== '') own.push({ role: 'assistant', content: view.text });
  showAsking(undefined);
  scroll();
}

/**
 * Sends the same question again, without its response.
 * @param {AnswerView} view
 */
function again(view) {
  if (asking !== undefined) return;
  view.element.remove();
  if (conversation.at(-1)?.role === 'assistant') conversation.pop();
  void answer();
}

/**
 * Returns the error that the server reports. Throws if the stream was interrupted.
 * @param {AnswerView} view
 */
async function readAnswer(view) {
  const response = await fetch('/api/chat/stream', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: conversation }),
    ...(asking === undefined ? {} : { signal: asking.signal }),
  });
  if (!response.ok || response.body === null) return refusal(response);
  /** @type {string | undefined} */
  let problem;
  for await (const data of frames(response.body)) {
    if (data === '[DONE]') return problem;
    const { content, tool, error } = JSON.parse(data);
    if (content !== undefined) view.addWords(content);
    if (tool !== undefined) view.showTool(tool);
    problem = error ?? problem;
    scroll();
  }
  throw new Error('no end');
}

/** @param {Response} response */
function refusal(response) {
  const wait = response.headers.get('retry-after');
  if (response.status === 429) return `That was a lot of questions. Please try again in ${wait ?? 'a few'} seconds.`;
  if (response.status === 401) return 'You are not signed in any more. Please reload the page.';
  return 'The question could not be sent. Please try again.';
}

/** @param {ReadableStream<Uint8Array>} body */
async function* frames(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    // Comments only keep the connection alive.
    for (const part of parts) if (part.startsWith('data: ')) yield part.slice('data: '.length);
  }
}

/** @param {AbortController | undefined} controller */
function showAsking(controller) {
  asking = controller;
  send.hidden = controller !== undefined;
  stop.hidden = controller === undefined;
  suggestions.hidden = controller !== undefined;
  scroll();
}

function scroll() {
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

/** @param {Overview} overview */
function showOverview(overview) {
  byId('total', HTMLParagraphElement).textContent = money(overview.total);
  byId('accounts', HTMLUListElement).replaceChildren(
    ...overview.accounts.map(({ name, balance }) =>
      element('li', {}, element('span', {}, name), element('b', {}, money(balance))),
    ),
  );
  byId('budget-title', HTMLHeadingElement).textContent = `Budgets, ${monthName(overview.month)}`;
  byId('budgets', HTMLUListElement).replaceChildren(...overview.budgets.map(budgetLine));
  who.replaceChildren(...overview.users.map(({ id, name }) => element('option', { value: id }, name)));
  who.value = overview.user.id;
}

/** @param {Budget} budget */
function budgetLine({ category, budget, spent, left }) {
  const bar = element('i');
  bar.style.width = `${Math.min(100, (spent / budget) * 100)}%`;
  const rest = left < 0 ? `${money(-left)} over` : `${money(left)} left`;
  return element(
    'li',
    { className: left < 0 ? 'over' : '' },
    element('div', { className: 'names' }, element('span', {}, category), element('span', {}, rest)),
    element('div', { className: 'track' }, bar),
  );
}

/**
 * Continues as the signed-in user if no user is given.
 * @param {string} [user]
 */
async function begin(user) {
  await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  });
  /** @type {Overview | undefined} */
  const overview = await fetchJson('/api/overview');
  if (overview === undefined) return;
  showOverview(overview);
  welcome(overview.user.name);
}

/** @param {string} name */
function welcome(name) {
  asking?.abort();
  conversation = [];
  const hello = element('p', { className: 'hello' }, `Hello, ${name}.`);
  const offer = element('p', {}, 'Ask me about your balances, spending, transactions or budgets.');
  log.replaceChildren(element('div', { className: 'message assistant' }, hello, offer));
  suggestions.replaceChildren(
    ...suggested.map((words) => {
      const button = element('button', { type: 'button' }, words);
      button.addEventListener('click', () => void ask(words));
      return button;
    }),
  );
}

function submit() {
  const words = question.value;
  if (asking !== undefined) return;
  question.value = '';
  void ask(words);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
question.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit();
});
log.addEventListener('scroll', () => {
  // New content does not change the scroll position; only the user scrolls up.
  const isUp = log.scrollTop < lastTop;
  lastTop = log.scrollTop;
  isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40 || (isAtEnd && !isUp);
});
stop.addEventListener('click', () => asking?.abort());
who.addEventListener('change', () => void begin(who.value));

await begin();
