#!/bin/bash
# The page of `sm-model report`: is what is committed built from the sources beside it, and may it be distributed so?
. "$(dirname "$0")/../lib.sh"
W=runtime-model/html/web

current() {
	local is said
	is=$(cd "$W" && LC_ALL=C sha256sum build.mjs package-lock.json package.json src/* template.html | sha256sum | cut -d' ' -f1)
	said=$(sed -nE 's/^<meta name="regloom-sources" content="([0-9a-f]{64})">$/\1/p' "$W/dist/page.html")
	[ "$is" = "$said" ] || { echo "dist/page.html is of other sources ($said) than those here ($is): make web"; return 1; }
}
# The policy names the script by its hash, and the script is what it names.
policy() {
	python3 - "$W/dist/page.html" <<'PY'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="ascii").read()
policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
script = re.findall(r"<script>(.*?)</script>", page, re.S)
assert len(script) == 1, len(script)
want = "'sha256-" + base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode() + "'"
assert want in policy and "default-src 'none'" in policy, (want, policy)
for marker in "<!--regloom:title-->", "<!--regloom:data-->":
    assert page.count(marker) == 1, marker
assert len(page) < 800_000, len(page)
assert not re.search(r"""(?:src|href)=["']?(?!data:)\w""", page.replace(script[0], "")), "something is fetched"
PY
}
licences() { # each package of the bundle has its text in dist/LICENSES.txt, and that is in the page
	python3 - "$W" <<'PY'
import html, json, sys
w = sys.argv[1]
text, page = open(w + "/dist/LICENSES.txt", encoding="ascii").read(), open(w + "/dist/page.html", encoding="ascii").read()
lock = json.load(open(w + "/package-lock.json"))["packages"]
shipped = {n.split("node_modules/")[-1]: p for n, p in lock.items() if n and not p.get("dev")}
assert {"echarts", "zrender"} <= set(shipped), shipped
for name, p in shipped.items():
    assert f"\n{name} {p['version']} ({p['license']})\n" in text, (name, p["version"])
assert "Apache License" in text and "Redistribution and use in source and binary forms" in text
assert html.escape(text, quote=False) in page
PY
}
t "page is built from its sources" current
t "page runs one script and fetches nothing" policy
t "licences of what the page holds" licences
finish
