// The frame of the page: navigation, state of the gateway, colour theme, the question for a key, and the current view.
// Views other than the first are loaded when they are opened. A further view is one line in `views`.

import type { ComponentType } from 'preact';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadEngine } from '../healing/engine.ts';
import { HealingView } from '../healing/view.tsx';
import { Boundary } from '../kit/boundary.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { follow } from '../live/feed.ts';
import { access } from './access.ts';
import { connection, fail, isSimulated, loadGateway, models, note, version } from './gateway.ts';
import { KeyDialog } from './key-dialog.tsx';
import { linkTo, view, viewNames, type ViewName } from './route.ts';
import { theme, type Theme } from './theme.ts';

interface ViewEntry {
  readonly title: string;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
}

const views: Readonly<Record<ViewName, ViewEntry>> = {
  healing: { title: 'Healing', icon: 'heal', load: () => Promise.resolve(HealingView) },
  chat: { title: 'Chat', icon: 'chat', load: () => import('../chat/view.tsx').then(({ ChatView }) => ChatView) },
  live: { title: 'Live', icon: 'live', load: () => import('../live/view.tsx').then(({ LiveView }) => LiveView) },
  simulate: {
    title: 'Simulate',
    icon: 'bolt',
    load: () => import('../simulate/view.tsx').then(({ SimulateView }) => SimulateView),
  },
  connect: {
    title: 'Connect',
    icon: 'plug',
    load: () => import('../connect/view.tsx').then(({ ConnectView }) => ConnectView),
  },
};

type Loaded = ComponentType | 'failed';
const loaded = signal<Partial<Record<ViewName, Loaded>>>({ healing: HealingView });

export function Shell() {
  useEffect(() => void loadGateway(), []);
  // Also when another view is open, so that it works without the gateway later.
  useEffect(() => void loadEngine().catch(() => undefined), []);
  useEffect(() => (connection.value === 'connected' ? follow(fail) : undefined), [connection.value]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={linkTo('healing')}>
          <img src="/assets/icon.svg" alt="" width="28" height="28" />
          <span>SimpleAgents</span>
        </a>
        <nav class="views" aria-label="Views">
          {viewNames.map((name) => (
            <a key={name} href={linkTo(name)} aria-current={view.value === name ? 'page' : undefined}>
              <Icon name={views[name].icon} />
              <span>{views[name].title}</span>
            </a>
          ))}
        </nav>
        <div class="side">
          <Status />
          <ThemeButton />
        </div>
      </header>
      {connection.value === 'offline' && (
        <p class="banner" role="alert">
          The gateway cannot be reached. Healing works without it; the page reconnects by itself.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <CurrentView />
      </main>
      {access.value.state === 'asking' && <KeyDialog />}
    </div>
  );
}

/** The fragment is the view, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function CurrentView() {
  const name = view.value;
  useEffect(() => {
    document.title = `${views[name].title} · SimpleAgents`;
    if (loaded.value[name] === undefined) void open(name);
  }, [name]);
  const View = loaded.value[name];
  if (View === undefined) return <p class="notice">Loading …</p>;
  if (View === 'failed') {
    return (
      <FailedView>This view could not be loaded. The gateway may have stopped, or a new version is running.</FailedView>
    );
  }
  return (
    <Boundary key={name} instead={<FailedView>This view failed. The other views still work.</FailedView>}>
      <View />
    </Boundary>
  );
}

function FailedView({ children }: { readonly children: string }) {
  return (
    <div class="notice" role="alert">
      <p>{children}</p>
      {/* A browser may remember that a module could not be loaded. */}
      <button onClick={() => location.reload()}>Reload the page</button>
    </div>
  );
}

async function open(name: ViewName): Promise<void> {
  const View = await views[name].load().catch((): 'failed' => 'failed');
  loaded.value = { ...loaded.value, [name]: View };
}

function Status() {
  const { text, state } = describeStatus();
  return (
    <span
      class={`status ${state}`}
      title={[version.value && `SimpleAgents ${version.value}`, note].filter(Boolean).join('. ')}
    >
      <i aria-hidden="true" />
      {text}
    </span>
  );
}

function describeStatus(): { readonly text: string; readonly state: string } {
  switch (connection.value) {
    case 'connecting':
      return { text: 'Connecting', state: 'waiting' };
    case 'offline':
      return { text: 'Offline', state: 'bad' };
    case 'locked':
      return { text: 'Key needed', state: 'waiting' };
    case 'connected':
      if (isSimulated.value) return { text: 'Simulated model', state: 'good' };
      return { text: `${models.value.length} ${models.value.length === 1 ? 'model' : 'models'}`, state: 'good' };
  }
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

function ThemeButton() {
  const label = `Colours: ${theme.value}`;
  const icon = ({ system: 'auto', light: 'sun', dark: 'moon' } as const)[theme.value];
  return (
    <button
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        theme.value = nextTheme[theme.value];
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
