/** Labels and badges of the states of hosted connectors. */
export const connectorStates = {
  pending: { label: "Not connected", badge: "badge" },
  connected: { label: "Connected", badge: "badge ok" },
  needs_auth: { label: "Needs you", badge: "badge warn" },
  error: { label: "Failing", badge: "badge danger" },
  disabled: { label: "Off", badge: "badge" },
} as const;
