// Sets color scheme, density and motion as the user chose them, before the first paint. A file, because the policy
// allows no inline script.
(function () {
  try {
    var root = document.documentElement;
    var s = localStorage.getItem("mantine-color-scheme-value");
    if (s !== "light" && s !== "dark")
      s = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.setAttribute("data-mantine-color-scheme", s);
    ["density", "motion"].forEach(function (name) {
      var value = localStorage.getItem("svc-" + name);
      if (value) root.setAttribute("data-" + name, value);
    });
  } catch {}
})();
