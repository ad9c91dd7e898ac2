// Markdown as elements. Everything that a model writes becomes text: HTML is shown, not parsed; pictures are links; only
// addresses of the web become links. Text that cannot be drawn as markdown is shown as it is.

import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { memo } from './memo.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Boundary } from '../kit/boundary.tsx';
import { visibleText } from '../kit/visible-text.ts';
import { CodeBlock } from './code-block.tsx';
import { MarkdownDocument, type MarkdownToken } from './document.ts';

interface MarkdownProps {
  readonly text: string;
}

export function Markdown({ text }: MarkdownProps) {
  return (
    <Boundary instead={<pre class="plain">{visibleText(text)}</pre>}>
      <Blocks text={text} />
    </Boundary>
  );
}

/** Long text appears over several frames, so that none of them takes long. */
function Blocks({ text }: MarkdownProps) {
  const document = useRef<MarkdownDocument>(null);
  const [, redraw] = useState({});
  document.current ??= new MarkdownDocument();
  document.current.update(text);
  const { groups } = document.current;
  // One piece, and usually the open end after it.
  const goesOn = document.current.advance() && document.current.advance();
  const { open } = document.current;
  useEffect(() => {
    if (!goesOn) return undefined;
    const frame = requestAnimationFrame(() => redraw({}));
    return () => cancelAnimationFrame(frame);
  });
  return (
    <div class="markdown" dir="auto">
      {groups.map((tokens, index) => (
        <Group key={index} tokens={tokens} />
      ))}
      <div class="group">{open.map((token, index) => renderBlock(token, index))}</div>
    </div>
  );
}

const Group = memo(({ tokens }: { readonly tokens: readonly MarkdownToken[] }) => (
  <div class="group">{tokens.map((token, index) => renderBlock(token, index))}</div>
));

function renderBlock(token: MarkdownToken, key: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return <CodeBlock key={key} text={text} language={lang} />;
    }
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      return (
        <p key={key} class={`heading level-${Math.min(depth, 4)}`}>
          {renderInlines(tokens)}
        </p>
      );
    }
    case 'hr':
      return <hr key={key} />;
    case 'blockquote':
      return <blockquote key={key}>{(token as Tokens.Blockquote).tokens.map(renderBlock)}</blockquote>;
    case 'list':
      return <List key={key} list={token as Tokens.List} />;
    case 'table':
      return <Table key={key} table={token as Tokens.Table} isContinued={token.isContinued === true} />;
    case 'paragraph':
      return (
        <p key={key} class={token.isContinued === true ? 'continued' : undefined}>
          {renderInlines((token as Tokens.Paragraph).tokens)}
        </p>
      );
    case 'text':
      return <span key={key}>{renderText(token as Tokens.Text)}</span>;
    default:
      return <p key={key}>{visibleText(token.raw)}</p>;
  }
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked} disabled aria-label="Task" />}
      {item.tokens.map(renderBlock)}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={typeof list.start === 'number' ? list.start : 1}>{items}</ol>;
}

interface TableProps {
  readonly table: Tokens.Table;
  /** The head is that of the table before. */
  readonly isContinued: boolean;
}

function Table({ table, isContinued }: TableProps) {
  if (isContinued && table.rows.length === 0) return null;
  return (
    <div class={isContinued ? 'table continued' : 'table'} tabIndex={0} role="region" aria-label="Table">
      <table>
        {!isContinued && (
          <thead>
            <tr>
              {table.header.map((cell, index) => (
                <th key={index}>{renderInlines(cell.tokens)}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{renderInlines(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInlines(tokens: readonly Token[]): ComponentChildren {
  return tokens.map(renderInline);
}

function renderInline(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    // Most tokens are text. Elements around them would triple the size of the document.
    case 'text':
    case 'escape':
      return renderText(token as Tokens.Text);
    case 'strong':
      return <strong key={key}>{renderInlines((token as Tokens.Strong).tokens)}</strong>;
    case 'em':
      return <em key={key}>{renderInlines((token as Tokens.Em).tokens)}</em>;
    case 'del':
      return <del key={key}>{renderInlines((token as Tokens.Del).tokens)}</del>;
    case 'codespan':
      return <code key={key}>{visibleText((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br key={key} />;
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      if (!isWebAddress(href)) return <span key={key}>{visibleText(token.raw)}</span>;
      return (
        <a key={key} href={href} target="_blank" rel="noopener noreferrer">
          {renderInlines(tokens)}
        </a>
      );
    }
    default:
      return <span key={key}>{visibleText(token.raw)}</span>;
  }
}

function renderText(token: Tokens.Text): ComponentChildren {
  return token.tokens === undefined ? visibleText(token.text) : renderInlines(token.tokens);
}

function isWebAddress(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(address);
}
