// The routes that pass to a provider unread, for the server, which does not know providers.

export { forwardedRoutes } from '../../providers/vendors.ts';
