// Frameworks written in Python, unmodified, against the gateway, in front of an upstream of each vendor's format.
// `npm run test:clients` runs them in front of every upstream.

import { describe } from 'node:test';

import { frameworks, testPython } from '../support/clients/python.ts';
import { skipWithoutPython } from '../support/python-environment.ts';

describe('frameworks in Python', { skip: skipWithoutPython }, () => {
  testPython(frameworks, ['openai', 'anthropic', 'google']);
});
