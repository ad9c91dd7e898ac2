// The provider types that a configuration file may use.

import { vendors } from '../../providers/vendors.ts';

export const simulatedType = 'simulated';
export const providerTypes = [...vendors.map(({ name }) => name), simulatedType];

/** Vendors with a known URL. The others are protocols that any server can implement. */
export const vendorsWithAddress = vendors.filter(({ baseUrl }) => baseUrl !== undefined);
