// One model's answer: reasoning apart, markdown, tool calls, and what it took.

import { useState } from 'preact/hooks';
import { CopyButton } from '../kit/copy-button.tsx';
import { formatCost, formatDuration } from '../kit/format.ts';
import { Icon } from '../kit/icon.tsx';
import { visibleText } from '../kit/visible-text.ts';
import { linkTo } from '../app/route.ts';
import { needsKey } from '../app/access.ts';
import { calls, selectedCall } from '../live/feed.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { toCurl, type AnswerPlace } from './curl.ts';
import { continueAnswer, isAsking, retry } from './asking.ts';
import { changeAnswer, current, type Answer, type ToolCall } from './conversation.ts';

interface AnswerProps {
  readonly answer: Answer;
  readonly turnId: string;
  readonly column: number;
  /** Its place among the answers of its model in this turn. */
  readonly number: number;
  readonly isLast: boolean;
}

export function AnswerView({ answer, turnId, column, number, isLast }: AnswerProps) {
  const { state, text, reasoning, tools, problem } = answer;
  const needsResults = state === 'done' && isLast && tools.length > 0;
  return (
    <article class="answer" aria-busy={state === 'streaming'}>
      {reasoning !== '' && (
        <details class="reasoning" open={text === ''}>
          <summary>Reasoning</summary>
          <Markdown text={reasoning} />
        </details>
      )}
      {state === 'waiting' && <Waiting />}
      {text !== '' && <Markdown text={text} />}
      {tools.map((tool, index) => (
        <ToolView
          key={index}
          tool={tool}
          canAnswer={needsResults}
          onResult={(result) => setResult({ turnId, column, index }, result)}
        />
      ))}
      {needsResults && (
        <button
          class="primary"
          disabled={isAsking.value || tools.some(({ result }) => result === undefined)}
          onClick={() => continueAnswer(turnId, column)}
        >
          Send the results
        </button>
      )}
      {problem !== undefined && (
        <div class="problem" role="alert">
          <p>{visibleText(problem)}</p>
          <button onClick={() => retry(turnId, column)}>Try again</button>
        </div>
      )}
      {state === 'stopped' && <p class="hint">Stopped.</p>}
      {(state === 'done' || state === 'stopped') && <Figures answer={answer} place={{ turnId, column, number }} />}
    </article>
  );
}

function Waiting() {
  return (
    <p class="waiting" role="status">
      <span class="offscreen">Waiting for the answer</span>
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
    </p>
  );
}

interface ToolProps {
  readonly tool: ToolCall;
  readonly canAnswer: boolean;
  readonly onResult: (result: string) => void;
}

function ToolView({ tool: { name, json, result }, canAnswer, onResult }: ToolProps) {
  const [draft, setDraft] = useState(result ?? '');
  return (
    <section class="tool" aria-label={`Call of the tool ${name}`}>
      <header>
        <Icon name="plug" />
        <b>{visibleText(name)}</b>
        <span class="hint">tool call</span>
      </header>
      <pre tabIndex={0}>{visibleText(indent(json))}</pre>
      {canAnswer && (
        <label class="field">
          <span>Result</span>
          <textarea
            rows={2}
            placeholder="What the tool returns; the page runs no tools"
            value={draft}
            onInput={(event) => {
              setDraft(event.currentTarget.value);
              onResult(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {!canAnswer && result !== undefined && <pre tabIndex={0}>{visibleText(result)}</pre>}
    </section>
  );
}

interface ToolPlace {
  readonly turnId: string;
  readonly column: number;
  readonly index: number;
}

function setResult({ turnId, column, index }: ToolPlace, result: string): void {
  changeAnswer(turnId, column, (list) => {
    const last = list.at(-1);
    if (last === undefined) return list;
    const tools = last.tools.map((tool, place) => (place === index ? { ...tool, result } : tool));
    return [...list.slice(0, -1), { ...last, tools }];
  });
}

/** Arguments that are not complete JSON yet are shown as they are. */
function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}

function Figures({ answer, place }: { readonly answer: Answer; readonly place: AnswerPlace }) {
  const { firstToken, total, inputTokens, outputTokens, cost, target, text } = answer;
  const figures: [title: string, value: string | undefined][] = [
    ['First token', firstToken === undefined ? undefined : formatDuration(firstToken)],
    ['Total', total === undefined ? undefined : formatDuration(total)],
    ['Tokens', inputTokens === undefined ? undefined : `${inputTokens} → ${outputTokens ?? 0}`],
    ['Cost', cost === undefined ? undefined : formatCost(cost)],
    ['By', target === '' ? undefined : target],
  ];
  return (
    <footer class="figures">
      <dl>
        {figures.map(
          ([title, value]) =>
            value !== undefined && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <TimelineLink call={answer.call} />
      <CopyButton label="Copy as curl" text={() => toCurl(current.value, place, gatewayHere())} />
      {text !== '' && <CopyButton text={() => text} />}
    </footer>
  );
}

function gatewayHere() {
  return { origin: location.origin, key: needsKey.value ? 'YOUR_KEY' : 'any' };
}

/** The live view has the last calls only. */
function TimelineLink({ call }: { readonly call: string | undefined }) {
  if (call === undefined || !calls.value.some(({ id }) => id === call)) return null;
  return (
    <a
      class="quiet"
      href={linkTo('live')}
      onClick={() => {
        selectedCall.value = call;
      }}
    >
      <Icon name="live" /> Timeline
    </a>
  );
}
