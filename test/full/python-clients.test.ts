// Clients written in Python, unmodified, against the gateway: every case in front of each upstream.
// The programs are in `tools/python-clients/`, which also pins the packages.

import { describe } from 'node:test';

import { sdks, testPython } from '../support/clients/python.ts';
import { skipWithoutPython } from '../support/python-environment.ts';

describe('clients in Python', { skip: skipWithoutPython }, () => {
  testPython(sdks);
});
