// Large frameworks written in Python, unmodified, against the gateway: every case in front of each upstream.

import { describe } from 'node:test';

import { largeFrameworks, testPython } from '../support/clients/python.ts';
import { skipWithoutPython } from '../support/python-environment.ts';

describe('large frameworks in Python', { skip: skipWithoutPython }, () => {
  testPython(largeFrameworks);
});
