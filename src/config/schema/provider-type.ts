// Which types of providers a file may name.

import { vendors } from '../../providers/vendors.ts';

export const simulatedType = 'simulated';
export const providerTypes = [...vendors.map(({ name }) => name), simulatedType];

/** The vendors that are somewhere by themselves; the others are protocols that any server may speak. */
export const vendorsWithAddress = vendors.filter(({ baseUrl }) => baseUrl !== undefined);
