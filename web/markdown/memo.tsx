// A component that is drawn again only when one of its properties is another value.

import { Component, type FunctionComponent } from 'preact';

export function memo<Properties extends object>(draw: FunctionComponent<Properties>) {
  return class Memo extends Component<Properties> {
    override shouldComponentUpdate(next: Properties): boolean {
      const now = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => now[name] !== value);
    }

    override render(properties: Properties) {
      return draw(properties);
    }
  };
}
