import { Switch, useMantineColorScheme } from "@mantine/core";
import { createFileRoute } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { areKeysOn, setKeysOn } from "../../parts/keys.ts";
import { Page } from "../../parts/page/page.tsx";
import { Segments } from "../../parts/page/segments.tsx";
import { densities, motions, readDisplay, setDisplay } from "../../parts/text/display.ts";
import { SettingsHead, SettingsTabs } from "./frame.tsx";

export const Route = createFileRoute("/settings/appearance")({ component: AppearancePage });

/** Needs no account: the choices are kept in the browser. */
function AppearancePage() {
  return (
    <Page title="Appearance · Settings" crumbs={[{ label: "Settings" }, { label: "Appearance" }]}>
      <div className="page settings stack gap-6">
        <SettingsTabs />
        <SettingsHead title="Appearance" about="These choices apply to this browser only." />
        <section className="panel" aria-label="Appearance">
          <Scheme />
          <Density />
          <Motion />
          <KeyLetters />
        </section>
      </div>
    </Page>
  );
}

function Choice({ label, about, children }: { label: string; about: string; children: ReactNode }) {
  return (
    <div className="choice">
      <div>
        <h2>{label}</h2>
        <p className="meta">{about}</p>
      </div>
      {children}
    </div>
  );
}

function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Choice label="Color scheme" about="The system's scheme follows your device, also at night.">
      <Segments
        label="Color scheme"
        value={colorScheme}
        data={[
          { value: "auto", label: "System" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        onChange={(value) => setColorScheme(value)}
      />
    </Choice>
  );
}

function Density() {
  const [density, setDensity] = useState(() => readDisplay("density"));
  return (
    <Choice
      label="Density"
      about="Compact rows show more of a list. Touch screens keep their larger targets."
    >
      <Segments
        label="Density"
        value={density}
        data={densities.map((value) => ({ value, label: value === "compact" ? "Compact" : "Comfortable" }))}
        onChange={(value) => {
          setDisplay("density", value);
          setDensity(value);
        }}
      />
    </Choice>
  );
}

function Motion() {
  const [motion, setMotion] = useState(() => readDisplay("motion"));
  return (
    <Choice label="Motion" about="Reduced motion shows dialogs and panels without animation.">
      <Segments
        label="Motion"
        value={motion}
        data={motions.map((value) => ({ value, label: value === "reduced" ? "Reduced" : "System" }))}
        onChange={(value) => {
          setDisplay("motion", value);
          setMotion(value);
        }}
      />
    </Choice>
  );
}

function KeyLetters() {
  const [isOn, setOn] = useState(areKeysOn);
  return (
    <Choice label="Key letters" about="Single letters such as J and K act on lists. Press ? for all of them.">
      <Switch
        aria-label="Key letters"
        checked={isOn}
        onChange={(event) => {
          setKeysOn(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
      />
    </Choice>
  );
}
