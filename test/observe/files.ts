/** The files of `deploy/` for Prometheus and Grafana. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { root } from "../support/root.ts";

export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

export interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}

export interface Dashboard {
  file: string;
  uid: string;
  title: string;
  panels: Panel[];
}

export const alertsFile = path.join(root, "deploy/prometheus/alerts.yml");
export const alertCases = path.join(root, "test/observe/alerts.yml");

export function readAlerts(): Alert[] {
  const { groups } = parse(readFileSync(alertsFile, "utf8")) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function readDashboards(): Dashboard[] {
  const folder = path.join(root, "deploy/grafana");
  return readdirSync(folder).map((file) => ({
    ...(JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Dashboard),
    file,
  }));
}

/** Expressions of all panels, with a value for the variable of Grafana. */
export const expressionsOf = (dashboards: readonly Dashboard[]): string[] =>
  dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m")),
    ),
  );

/** Metrics of the service and its process in an expression. */
export const namesIn = (expression: string): string[] =>
  expression.match(/\b(svc|nodejs|process)_\w+/g) ?? [];
