# The one style of gsim's charts, put before each of them. OUT names the terminal: png for screens, svg for pages, pdf
# for papers. Colours are the built-in set "podo", which people with any common colour blindness can tell apart;
# lines differ in dashes as well. Yellow is for areas only.
if (!exists("OUT")) OUT = 'png'
reset
set encoding utf8
if (OUT eq 'png') set terminal pngcairo size 1200,800 font 'Sans,12' linewidth 1.5 noenhanced
if (OUT eq 'svg') set terminal svg size 1200,800 dynamic font 'sans-serif,16' linewidth 1.5 noenhanced background '#ffffff'
if (OUT eq 'pdf') set terminal pdfcairo size 20cm,13.3cm font 'Sans,7.5' linewidth 1.2 noenhanced
TITLE = OUT eq 'png' ? 'Sans:Bold,14' : OUT eq 'svg' ? 'sans-serif,20' : 'Sans:Bold,9'
LARGE = OUT eq 'png' ? 'Sans,20' : OUT eq 'svg' ? 'sans-serif,26' : 'Sans,12'
set colorsequence podo
set border 3 linecolor rgb '#606060'
set tics nomirror out scale 0.6
set grid xtics ytics linecolor rgb '#d0d0d0' linewidth 0.8 dashtype solid
set style fill solid 1.0 noborder
set lmargin 11
set rmargin 4
set tmargin 6.2
set bmargin 4
set key noautotitle Left reverse samplen 2.5 spacing 1.25
black = '#000000'; orange = '#e69f00'; sky = '#56b4e9'; green = '#009e73'; yellow = '#f0e442'
blue = '#0072b2'; red = '#d55e00'; pink = '#cc79a7'; grey = '#999999'; pale = '#dddddd'
# Sequential map after viridis, light = low.
set palette defined (0 '#fde725', 1 '#a0da39', 2 '#4ac16d', 3 '#1fa187', 4 '#277f8e', 5 '#365c8d', 6 '#46327e', 7 '#440154')
