// The icons of the page, drawn with the colour of the text around them.

const paths = {
  heal: 'M4 12h3l2-6 4 12 2-6h5',
  chat: 'M4 5h16v11H9l-5 4z',
  live: 'M5 19V11M10 19V5M15 19v-6M20 19V8',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5',
  moon: 'M20 14.500A8 8 0 0 1 9.500 4 8 8 0 1 0 20 14.500',
  auto: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  play: 'M7 4.500v15l12-7.500z',
  pause: 'M8 5v14M16 5v14',
  step: 'M6 5v14l9-7zM18 5v14',
  restart: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4.500h4.500',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.500l4.500 4.500L19 7',
  dice: 'M4 4h16v16H4zM8.500 8.500h.01M15.500 8.500h.01M12 12h.01M8.500 15.500h.01M15.500 15.500h.01',
  edit: 'M4 20l1-4L16 5l3 3L8 19z',
  stop: 'M6 6h12v12H6z',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-2 4 4M15 9h.01',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  sliders: 'M4 8h9M19 8h1M16 5v6M4 16h1M11 16h9M8 13v6',
  send: 'M12 20V5M6 11l6-6 6 6',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  history: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4.500h4.500M12 8v4.500l3 2',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
