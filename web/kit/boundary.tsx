// Draws its children, or a replacement if they fail, so that one part that cannot be shown never takes the rest with it.

import { Component, type ComponentChildren } from 'preact';

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** What is drawn instead. It must not fail. */
  readonly instead: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render({ children, instead }: BoundaryProps) {
    return this.state.hasFailed ? instead : children;
  }
}
