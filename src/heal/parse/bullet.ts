// A Markdown list as its items: what a model gives when it was asked for a list and forgot the brackets.

const bullet = /^(\s*)(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/;

/** The text of each item; nothing when the text is anything but a list, with one line before it that announces it. */
export function bulletItems(text: string): string[] | undefined {
  const items: string[] = [];
  let indent = 0;
  for (const line of text.split('\n')) {
    const [, space = '', content] = bullet.exec(line) ?? [];
    if (content !== undefined && (items.length === 0 || space.length <= indent)) {
      if (items.length === 0) indent = space.length;
      items.push(content);
    } else if (items.length > 0 && /^\s/.test(line)) items[items.length - 1] += `\n${line}`;
    else if (line.trim() !== '' && !(items.length === 0 && line.trimEnd().endsWith(':'))) return undefined;
  }
  return items.length > 1 ? items.map(withoutMarks) : undefined;
}

/** Without quotes around the whole, or a comma behind it. */
function withoutMarks(item: string): string {
  const [, quoted, bare] = /^(?:"([^"]*)"|(.*?)),?\s*$/s.exec(item) ?? [];
  return quoted ?? bare ?? item;
}
