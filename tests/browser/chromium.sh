#!/bin/sh
# Starts Chromium, and adds to the features that Playwright disables, because Chromium reads only the last list. The hidden popups of the
# address bar take a quarter of the processor time. CHROMIUM is the path of the browser.
for argument do
  shift
  case $argument in
    --disable-features=*) argument=$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup ;;
  esac
  set -- "$@" "$argument"
done
exec "${CHROMIUM:-/usr/bin/chromium}" "$@"
