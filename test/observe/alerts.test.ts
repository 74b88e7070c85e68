/** Alerts and dashboards in `deploy/`, checked by Prometheus' own program. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { root } from "../support/root.ts";
import { temporaryFolder } from "../support/server.ts";
import { alertCases, alertsFile, expressionsOf, readAlerts, readDashboards, type Panel } from "./files.ts";

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

const skip =
  promtool("--version").status === 0 ? false : "promtool is missing: install the Debian package prometheus";
const alerts = readAlerts();
const dashboards = readDashboards();

describe("deploy/prometheus/alerts.yml", () => {
  it("is valid", { skip }, () => {
    const { status, output } = promtool("check", "rules", alertsFile);
    assert.equal(status, 0, output);
    assert.match(output, new RegExp(`${alerts.length} rules found`));
  });

  it("alerts when it should, and not before", { skip }, () => {
    const { status, output } = promtool("test", "rules", alertCases);
    assert.equal(status, 0, output);
  });

  it("has a case for each alert, and a row in the guide", () => {
    const { tests } = parse(readFileSync(alertCases, "utf8")) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const fired = tests
      .flatMap(({ alert_rule_test: cases }) => cases)
      .filter(({ exp_alerts: expected }) => expected.length > 0)
      .map(({ alertname }) => alertname);
    const names = alerts.map(({ alert }) => alert);
    const guide = readFileSync(path.join(root, "docs/guides/observe.md"), "utf8");
    const rows = Array.from(guide.matchAll(/^\| `(Svc\w+)`/gm), ([, name]) => name!);

    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([...new Set(fired)].toSorted(), names.toSorted());
    assert.deepEqual(rows.toSorted(), names.toSorted());
    for (const { labels, annotations } of alerts) {
      assert.match(labels.severity, /^(warning|critical)$/);
      assert.match(annotations.summary, /\.$/);
    }
  });
});

describe("deploy/grafana", () => {
  it("has dashboards with ids of their own, whose panels do not overlap", () => {
    assert.equal(dashboards.length, 2);
    assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length);
    for (const { file, panels } of dashboards) {
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, file);
      for (const panel of panels) {
        const { gridPos, targets = [], title, type } = panel;
        assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24, `${file}: ${title}`);
        assert.equal(targets.length > 0, type !== "row", `${file}: ${title}`);
        assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, `${file}: ${title}`);
        assert.deepEqual(
          panels.filter((other) => other !== panel && overlaps(other, panel)).map((other) => other.title),
          [],
          `${file}: ${title}`,
        );
      }
    }
  });

  it("has valid expressions", { skip }, () => {
    const expressions = expressionsOf(dashboards);
    assert.ok(expressions.length > 40, String(expressions.length));
    const file = path.join(temporaryFolder("expressions"), "rules.yml");
    const rules = expressions.map((expr, index) => ({ record: `expression:${index}`, expr }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "expressions", rules }] }));

    const { status, output } = promtool("check", "rules", file);
    assert.equal(status, 0, output);
    writeFileSync(
      file,
      JSON.stringify({ groups: [{ name: "wrong", rules: [{ record: "a", expr: "sum(" }] }] }),
    );
    assert.notEqual(promtool("check", "rules", file).status, 0);
  });
});

function overlaps({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
