// Frameworks written in Python, unmodified, against the gateway: every case in front of each upstream.

import { describe } from 'node:test';

import { frameworks, testPython } from '../support/clients/python.ts';
import { skipWithoutPython } from '../support/python-environment.ts';

describe('frameworks in Python, in front of each upstream', { skip: skipWithoutPython }, () => {
  testPython(frameworks);
});
