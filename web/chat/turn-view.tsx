// One turn: the user's message, which can be edited, and the answers side by side.

import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Boundary } from '../kit/boundary.tsx';
import { Icon } from '../kit/icon.tsx';
import { memo } from '../markdown/memo.tsx';
import { AnswerView } from './answer-view.tsx';
import { askAgain } from './asking.ts';
import type { Turn } from './conversation.ts';

const editing = signal<string | undefined>(undefined);

interface TurnProps {
  readonly turn: Turn;
}

export const TurnView = memo(({ turn }: TurnProps) => (
  <section class="turn" aria-label="Turn">
    <UserMessage turn={turn} />
    <div class={`answers columns-${turn.answers.length}`}>
      {turn.answers.map((list, column) => (
        <div class="column" key={column}>
          {turn.answers.length > 1 && <p class="model-name">{list[0]?.model || 'Default model'}</p>}
          {list.map((answer, index) => (
            <Boundary key={index} instead={<BrokenMessage />}>
              <AnswerView
                answer={answer}
                turnId={turn.id}
                column={column}
                number={index}
                isLast={index === list.length - 1}
              />
            </Boundary>
          ))}
        </div>
      ))}
    </div>
  </section>
));

export function BrokenMessage() {
  return (
    <p class="problem" role="alert">
      This message could not be shown. The rest of the conversation works.
    </p>
  );
}

function UserMessage({ turn }: TurnProps) {
  if (editing.value === turn.id) return <MessageEditor turn={turn} />;
  return (
    <div class="user">
      <button
        class="icon-button"
        aria-label="Edit and send again"
        title="Edit and send again"
        onClick={() => {
          editing.value = turn.id;
        }}
      >
        <Icon name="edit" />
      </button>
      <div class="bubble" dir="auto">
        {turn.images.map((url, index) => (
          <img key={index} src={url} alt="Attached by you" />
        ))}
        {turn.text}
      </div>
    </div>
  );
}

function MessageEditor({ turn }: TurnProps) {
  const [draft, setDraft] = useState(turn.text);
  return (
    <form
      class="user editor-form"
      onSubmit={(event) => {
        event.preventDefault();
        stopEditing();
        askAgain(turn.id, draft);
      }}
    >
      <textarea
        aria-label="Your message"
        rows={3}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
      <div class="row">
        <button type="button" onClick={stopEditing}>
          Cancel
        </button>
        <button class="primary" type="submit">
          Send again
        </button>
      </div>
    </form>
  );
}

function stopEditing(): void {
  editing.value = undefined;
}
