"""The words of numbers: of digits, teens, tens, hundred, thousand and million."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NUMBER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "en": "zero oh one two three four five six seven eight nine ten eleven twelve thirteen"
        " fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty"
        " seventy eighty ninety hundred thousand million double triple",
        "de": "null ein eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf"
        " dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig"
        " fünfzig sechzig siebzig achtzig neunzig hundert tausend million millionen",
        "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
        " quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés"
        " veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta cuarenta"
        " cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos"
        " cuatrocientos quinientos seiscientos setecientos ochocientos novecientos mil millón"
        " millones doble triple",
        "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
        " quinze seize vingt vingts trente quarante cinquante soixante septante huitante octante"
        " nonante cent cents mille million millions double triple",
        "hi": "शून्य ज़ीरो जीरो एक दो तीन चार पाँच पांच छह छः छे सात आठ नौ दस ग्यारह बारह तेरह चौदह"
        " पंद्रह पन्द्रह सोलह सत्रह अठारह उन्नीस बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे सौ हज़ार हजार लाख"
        " करोड़ डबल ट्रिपल",
        "af": "nul een één twee drie vier vyf ses sewe agt nege tien elf twaalf dertien"
        " veertien vyftien sestien sewentien agtien negentien twintig dertig veertig"
        " vyftig sestig sewentig tagtig negentig honderd duisend miljoen",
        "ar": "صفر واحد واحدة اثنان اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة عشر عشرون"
        " عشرين ثلاثون ثلاثين أربعون أربعين خمسون خمسين ستون ستين سبعون سبعين ثمانون ثمانين تسعون"
        " تسعين مائة مئة مئتان ألف مليون",
        "az": "sıfır bir iki üç dörd beş altı yeddi səkkiz doqquz on iyirmi otuz qırx əlli altmış"
        " yetmiş səksən doxsan yüz min milyon",
        "be": "нуль адзін адна два дзве тры чатыры пяць шэсць сем восем дзевяць дзесяць"
        " адзінаццаць дванаццаць трынаццаць чатырнаццаць пятнаццаць шаснаццаць сямнаццаць"
        " васямнаццаць дзевятнаццаць дваццаць трыццаць сорак пяцьдзясят шэсцьдзясят семдзесят"
        " восемдзесят дзевяноста сто дзвесце тысяча тысячы мільён",
        "bg": "нула един една едно два две три четири пет шест седем осем девет десет единадесет"
        " единайсет дванадесет дванайсет тринадесет тринайсет четиринадесет четиринайсет"
        " петнадесет петнайсет шестнадесет шестнайсет седемнадесет седемнайсет осемнадесет"
        " осемнайсет деветнадесет деветнайсет двадесет двайсет тридесет трийсет четиридесет"
        " четирийсет петдесет шестдесет шейсет седемдесет осемдесет деветдесет сто двеста триста"
        " хиляда хиляди милион",
        "bn": "শূন্য এক দুই তিন চার পাঁচ ছয় সাত আট নয় দশ এগারো বারো তেরো চৌদ্দ পনের পনেরো ষোল সতের"
        " আঠারো উনিশ বিশ ত্রিশ চল্লিশ পঞ্চাশ ষাট সত্তর আশি নব্বই একশ একশো হাজার লাখ কোটি",
        "bs": "nula jedan jedna dva dvije tri četiri pet šest sedam osam devet deset jedanaest"
        " dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest dvadeset"
        " trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset sto stotinu dvjesto"
        " dvjesta hiljada hiljadu milion",
        "ca": "zero un una dos dues tres quatre cinc sis set vuit nou deu onze dotze tretze"
        " catorze quinze setze disset divuit dinou vint trenta quaranta cinquanta seixanta setanta"
        " vuitanta noranta cent cents mil milió milions",
        "cs": "nula jedna jeden dva dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct"
        " třináct čtrnáct patnáct šestnáct sedmnáct osmnáct devatenáct dvacet třicet čtyřicet"
        " padesát šedesát sedmdesát osmdesát devadesát sto dvě stě tisíc tisíce milion",
        "cy": "dim un dau dwy tri tair pedwar pump chwech saith wyth naw deg ugain cant mil miliwn",
        "da": "nul en et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten"
        " seksten sytten atten nitten tyve tredive fyrre halvtreds tres halvfjerds firs halvfems"
        " hundrede tusind million millioner",
        "el": "μηδέν ένα ένας μία δύο τρία τρεις τέσσερα τέσσερις πέντε έξι επτά εφτά οκτώ οχτώ"
        " εννέα εννιά δέκα έντεκα δώδεκα δεκατρία δεκατέσσερα δεκαπέντε δεκαέξι δεκαεπτά δεκαοκτώ"
        " δεκαεννέα είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα εκατό"
        " διακόσια χίλια χιλιάδες εκατομμύριο",
        "et": "null üks kaks kolm neli viis kuus seitse kaheksa üheksa kümme teist kümmend sada"
        " tuhat miljon",
        "eu": "zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi"
        " hamahiru hamalau hamabost hamasei hamazazpi hemezortzi hamazortzi hemeretzi"
        " hogei hogeita berrogei berrogeita hirurogei hirurogeita laurogei laurogeita"
        " ehun berrehun hirurehun mila milioi",
        "fa": "صفر یک دو سه چهار پنج شش شیش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده"
        " هفده هجده نوزده بیست سی چهل پنجاه شصت هفتاد هشتاد نود صد دویست هزار میلیون",
        "fi": "nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen"
        " toista kymmentä sata sataa tuhat tuhatta miljoona",
        "ga": "náid nialas aon haon dó dhá trí ceathair ceithre cúig sé seacht ocht hocht"
        " naoi deich déag dhéag fiche tríocha daichead caoga seasca seachtó ochtó nócha"
        " céad míle milliún",
        "gl": "cero un unha dous dúas tres catro cinco seis sete oito nove dez once doce trece"
        " catorce quince dezaseis dezasete dezaoito dezanove vinte trinta corenta cincuenta"
        " sesenta setenta oitenta noventa cen cento douscentos mil millón",
        "gu": "શૂન્ય એક બે ત્રણ ચાર પાંચ છ સાત આઠ નવ દસ અગિયાર બાર તેર ચૌદ પંદર સોળ સત્તર"
        " અઢાર ઓગણીસ વીસ ત્રીસ ચાલીસ પચાસ સાઠ સિત્તેર એંસી નેવું સો હજાર લાખ કરોડ",
        "he": "אפס אחת אחד שתיים שניים שלוש שלושה ארבע ארבעה חמש חמישה שש שישה שבע שבעה שמונה תשע"
        " תשעה עשר עשרה עשרים שלושים ארבעים חמישים שישים שבעים שמונים תשעים מאה מאתיים אלף אלפיים"
        " מיליון",
        "hr": "nula jedan jedna dva dvije tri četiri pet šest sedam osam devet deset jedanaest"
        " dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest dvadeset"
        " trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset sto dvjesto tisuća"
        " tisuću milijun",
        "hu": "nulla egy kettő két három négy öt hat hét nyolc kilenc tíz tizen húsz huszon"
        " harminc negyven ötven hatvan hetven nyolcvan kilencven száz ezer millió",
        "hy": "զրո մեկ երկու երեք չորս հինգ վեց յոթ ութ ինը ինն տասը տասն քսան երեսուն"
        " քառասուն հիսուն վաթսուն յոթանասուն ութսուն իննսուն հարյուր հազար միլիոն",
        "id": "nol kosong satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas"
        " belas puluh seratus ratus seribu ribu juta",
        "is": "núll einn ein eitt tveir tvær tvö þrír þrjár þrjú fjórir fjórar fjögur fimm sex sjö"
        " átta níu tíu ellefu tólf þrettán fjórtán fimmtán sextán sautján átján nítján tuttugu"
        " þrjátíu fjörutíu fimmtíu sextíu sjötíu áttatíu níutíu hundrað þúsund milljón",
        "it": "zero uno un due tre tré quattro cinque sei sette otto nove dieci undici dodici"
        " tredici quattordici quindici sedici diciassette diciotto diciannove venti vent trenta"
        " trent quaranta quarant cinquanta cinquant sessanta sessant settanta settant ottanta"
        " ottant novanta novant cento mille mila milione milioni doppio",
        "ja": "〇 零 ゼロ れい 一 二 三 四 五 六 七 八 九 十 百 千 万 いち に さん よん ご ろく"
        " なな はち きゅう じゅう",
        "ka": "ნული ერთი ორი სამი ოთხი ხუთი ექვსი შვიდი რვა ცხრა ათი თერთმეტი თორმეტი"
        " ცამეტი თოთხმეტი თხუთმეტი თექვსმეტი ჩვიდმეტი თვრამეტი ცხრამეტი ოცი ოცდა ორმოცი"
        " ორმოცდა სამოცი სამოცდა ოთხმოცი ოთხმოცდა ასი ას ათასი მილიონი",
        "kk": "нөл бір екі үш төрт бес алты жеті сегіз тоғыз он жиырма отыз қырық елу"
        " алпыс жетпіс сексен тоқсан жүз мың миллион",
        "kn": "ಸೊನ್ನೆ ಒಂದು ಎರಡು ಮೂರು ನಾಲ್ಕು ಐದು ಆರು ಏಳು ಎಂಟು ಒಂಬತ್ತು ಹತ್ತು ಇಪ್ಪತ್ತು ಮೂವತ್ತು ನಲವತ್ತು ಐವತ್ತು"
        " ಅರವತ್ತು ಎಪ್ಪತ್ತು ಎಂಬತ್ತು ತೊಂಬತ್ತು ನೂರು ಸಾವಿರ ಲಕ್ಷ",
        "ko": "영 공 일 이 삼 사 오 육 칠 팔 구 십 백 천 만 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉"
        " 열 스물 서른 마흔 쉰",
        "ku": "sifir yek du sê çar pênc şeş heft heşt neh deh yanzdeh yazdeh donzdeh"
        " dozdeh diwanzdeh sêzdeh çardeh panzdeh pazdeh şanzdeh şazdeh hivdeh hevdeh"
        " hijdeh hejdeh nozdeh bîst sî sih çil pêncî şêst heftê heştê nod not sed hezar"
        " milyon",
        "ky": "нөл бир эки үч төрт беш алты жети сегиз тогуз он жыйырма отуз кырк элүү"
        " алтымыш жетимиш сексен токсон жүз миң миллион",
        "lt": "nulis vienas viena du dvi trys keturi penki šeši septyni aštuoni devyni dešimt"
        " vienuolika dvylika trylika keturiolika penkiolika šešiolika septyniolika aštuoniolika"
        " devyniolika dvidešimt trisdešimt keturiasdešimt penkiasdešimt šešiasdešimt"
        " septyniasdešimt aštuoniasdešimt devyniasdešimt šimtas šimtai tūkstantis tūkstančiai"
        " milijonas",
        "lv": "nulle viens viena divi divas trīs četri pieci seši septiņi astoņi deviņi desmit"
        " vienpadsmit divpadsmit trīspadsmit četrpadsmit piecpadsmit sešpadsmit septiņpadsmit"
        " astoņpadsmit deviņpadsmit divdesmit trīsdesmit četrdesmit piecdesmit sešdesmit"
        " septiņdesmit astoņdesmit deviņdesmit simts simti tūkstotis tūkstoši miljons",
        "mk": "нула еден една едно два две три четири пет шест седум осум девет десет единаесет"
        " дванаесет тринаесет четиринаесет петнаесет шеснаесет седумнаесет осумнаесет деветнаесет"
        " дваесет триесет четириесет педесет шеесет седумдесет осумдесет деведесет сто двесте"
        " илјада илјади милион",
        "ml": "പൂജ്യം ഒന്ന് രണ്ട് മൂന്ന് നാല് അഞ്ച് ആറ് ഏഴ് എട്ട് ഒമ്പത് ഒൻപത് പത്ത്"
        " പതിനൊന്ന് പന്ത്രണ്ട് പതിമൂന്ന് പതിനാല് പതിനഞ്ച് പതിനാറ് പതിനേഴ് പതിനെട്ട്"
        " പത്തൊമ്പത് ഇരുപത് ഇരുപത്തി മുപ്പത് മുപ്പത്തി നാല്പത് നാൽപ്പത് നാൽപ്പത്തി"
        " അമ്പത് അമ്പത്തി അറുപത് അറുപത്തി എഴുപത് എഴുപത്തി എൺപത് എൺപത്തി തൊണ്ണൂറ്"
        " തൊണ്ണൂറ്റി യൊന്ന് യഞ്ച് യാറ് യേഴ് യെട്ട് യൊമ്പത് നൂറ് ആയിരം ലക്ഷം",
        "mr": "शून्य एक दोन तीन चार पाच सहा सात आठ नऊ दहा अकरा बारा तेरा चौदा पंधरा सोळा"
        " सतरा अठरा एकोणीस वीस तीस चाळीस पन्नास साठ सत्तर ऐंशी नव्वद शंभर एकशे दोनशे"
        " हजार लाख कोटी",
        "ms": "sifar kosong satu dua tiga empat lima enam tujuh lapan sembilan sepuluh sebelas"
        " belas puluh seratus ratus seribu ribu juta",
        "mt": "xejn żero wieħed waħda tnejn tlieta erbgħa ħamsa sitta sebgħa tmienja"
        " disgħa għaxra ħdax tnax tlettax erbatax ħmistax sittax sbatax tmintax dsatax"
        " għoxrin tletin erbgħin ħamsin sittin sebgħin tmenin disgħin mija mitejn elf"
        " miljun",
        "my": "သုည တစ် နှစ် သုံး လေး ငါး ခြောက် ခုနစ် ခုနှစ် ရှစ် ကိုး ဆယ် ဆယ့် ရာ ရာ့ ထောင် ထောင့် သောင်း သန်း",
        "ne": "शून्य एक दुई तीन चार पाँच पांच छ सात आठ नौ दश दस एघार बाह्र तेह्र चौध"
        " पन्ध्र सोह्र सत्र अठार उन्नाइस बीस तीस चालीस पचास साठी सत्तरी असी नब्बे सय"
        " हजार लाख करोड",
        "nl": "nul één een eén twee drie vier vijf zes zeven acht negen tien elf twaalf dertien"
        " veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig"
        " zestig zeventig tachtig negentig honderd duizend miljoen",
        "no": "null en ett én to tre fire fem seks syv sju åtte ni ti elleve tolv tretten fjorten"
        " femten seksten sytten atten nitten tjue tyve tretti førti femti seksti sytti åtti nitti"
        " hundre tusen million millioner",
        "pa": "ਸਿਫ਼ਰ ਸਿਫਰ ਜ਼ੀਰੋ ਇੱਕ ਇਕ ਦੋ ਤਿੰਨ ਚਾਰ ਪੰਜ ਛੇ ਸੱਤ ਅੱਠ ਨੌਂ ਨੌ ਦਸ ਗਿਆਰਾਂ ਬਾਰਾਂ"
        " ਤੇਰਾਂ ਚੌਦਾਂ ਪੰਦਰਾਂ ਸੋਲਾਂ ਸਤਾਰਾਂ ਅਠਾਰਾਂ ਉੱਨੀ ਵੀਹ ਤੀਹ ਚਾਲੀ ਪੰਜਾਹ ਸੱਠ ਸੱਤਰ ਅੱਸੀ"
        " ਨੱਬੇ ਸੌ ਹਜ਼ਾਰ ਹਜਾਰ ਲੱਖ ਕਰੋੜ",
        "pl": "zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć"
        " jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście"
        " osiemnaście dziewiętnaście dwadzieścia trzydzieści czterdzieści pięćdziesiąt"
        " sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt sto dwieście trzysta"
        " czterysta pięćset sześćset siedemset osiemset dziewięćset tysiąc tysiące milion",
        "pt": "zero um uma dois duas três quatro cinco seis meia sete oito nove dez onze doze"
        " treze catorze quatorze quinze dezasseis dezesseis dezassete dezessete dezoito dezanove"
        " dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento"
        " duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
        " mil milhão milhões",
        "ro": "zero unu una doi două trei patru cinci șase șapte opt nouă zece unsprezece"
        " doisprezece treisprezece paisprezece cincisprezece șaisprezece șaptesprezece optsprezece"
        " nouăsprezece douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci"
        " sută sute mie mii milion",
        "ru": "ноль нуль один одна два две три четыре пять шесть семь восемь девять десять"
        " одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать"
        " восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят"
        " восемьдесят девяносто сто двести триста четыреста пятьсот шестьсот семьсот восемьсот"
        " девятьсот тысяча тысячи тысяч миллион",
        "si": "බින්දුව බිංදුව එක දෙක තුන හතර පහ හය හත අට නවය නමය දහය එකොළහ දොළහ දහතුන"
        " දාහතර පහළොව දහසය දාසය දහහත දාහත දහඅට දහනවය දහනමය විස්ස තිහ හතළිහ පනහ හැට"
        " හැත්තෑව අසූව අනූව සියය සීය දහස දාහ ලක්ෂය මිලියනය",
        "sk": "nula jeden jedna dva dve tri štyri päť šesť sedem osem deväť desať jedenásť dvanásť"
        " trinásť štrnásť pätnásť šestnásť sedemnásť osemnásť devätnásť dvadsať tridsať štyridsať"
        " päťdesiat šesťdesiat sedemdesiat osemdesiat deväťdesiat sto tisíc milión",
        "sl": "nič ena en dve dva tri trije štiri pet šest sedem osem devet deset enajst dvanajst"
        " trinajst štirinajst petnajst šestnajst sedemnajst osemnajst devetnajst dvajset trideset"
        " štirideset petdeset šestdeset sedemdeset osemdeset devetdeset sto dvesto tristo tisoč"
        " milijon",
        "sq": "zero një dy tre tri katër pesë gjashtë shtatë tetë nëntë dhjetë"
        " njëmbëdhjetë dymbëdhjetë trembëdhjetë katërmbëdhjetë pesëmbëdhjetë"
        " gjashtëmbëdhjetë shtatëmbëdhjetë tetëmbëdhjetë nëntëmbëdhjetë njëzet tridhjetë"
        " dyzet pesëdhjetë gjashtëdhjetë shtatëdhjetë tetëdhjetë nëntëdhjetë qind"
        " njëqind dyqind mijë milion",
        "sr": "nula jedan jedna dva dve tri četiri pet šest sedam osam devet deset jedanaest"
        " dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest dvadeset"
        " trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset sto dvesta hiljada"
        " hiljadu milion нула један једна два две три четири пет шест седам осам девет десет"
        " једанаест дванаест тринаест четрнаест петнаест шеснаест седамнаест осамнаест деветнаест"
        " двадесет тридесет четрдесет педесет шездесет седамдесет осамдесет деведесет сто двеста"
        " хиљада хиљаду милион",
        "sv": "noll en ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton"
        " sexton sjutton arton nitton tjugo trettio förtio femtio sextio sjuttio åttio nittio"
        " hundra tusen miljon miljoner",
        "sw": "sifuri moja mbili tatu nne tano sita saba nane tisa kumi ishirini"
        " thelathini arobaini hamsini sitini sabini themanini tisini mia elfu laki"
        " milioni",
        "ta": "பூஜ்ஜியம் பூஜ்யம் சுழியம் ஒன்று ஒண்ணு இரண்டு ரெண்டு மூன்று மூணு நான்கு நாலு"
        " ஐந்து அஞ்சு ஆறு ஏழு எட்டு ஒன்பது ஒம்பது பத்து பதினொன்று பன்னிரண்டு பதின்மூன்று"
        " பதினான்கு பதினைந்து பதினாறு பதினேழு பதினெட்டு பத்தொன்பது இருபது இருபத்து"
        " முப்பது முப்பத்து நாற்பது நாற்பத்து ஐம்பது ஐம்பத்து அறுபது அறுபத்து எழுபது"
        " எழுபத்து எண்பது எண்பத்து தொண்ணூறு தொண்ணூற்று நூறு ஆயிரம் லட்சம் கோடி",
        "te": "సున్న సున్నా ఒకటి రెండు మూడు నాలుగు ఐదు అయిదు ఆరు ఏడు ఎనిమిది తొమ్మిది పది పదకొండు"
        " పన్నెండు పదమూడు పద్నాలుగు పదిహేను పదహారు పదిహేడు పద్దెనిమిది పందొమ్మిది ఇరవై ముప్పై నలభై యాభై"
        " అరవై డెబ్బై ఎనభై తొంభై వంద వెయ్యి వేయి లక్ష",
        "th": "ศูนย์ หนึ่ง เอ็ด สอง ยี่ สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน ล้าน",
        "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış"
        " yetmiş seksen doksan yüz bin milyon",
        "tt": "нуль ноль бер ике өч дүрт биш алты җиде сигез тугыз ун унбер унике унөч"
        " ундүрт унбиш уналты унҗиде унсигез унтугыз егерме утыз кырык илле алтмыш"
        " җитмеш сиксән туксан йөз мең миллион",
        "uk": "нуль один одна два дві три чотири п'ять п’ять шість сім вісім дев'ять дев’ять"
        " десять одинадцять дванадцять тринадцять чотирнадцять п'ятнадцять п’ятнадцять шістнадцять"
        " сімнадцять вісімнадцять дев'ятнадцять дев’ятнадцять двадцять тридцять сорок п'ятдесят"
        " п’ятдесят шістдесят сімдесят вісімдесят дев'яносто дев’яносто сто двісті триста тисяча"
        " тисячі мільйон",
        "ur": "صفر زیرو ایک دو تین چار پانچ چھ چھے سات آٹھ نو دس گیارہ بارہ تیرہ چودہ"
        " پندرہ سولہ سترہ اٹھارہ انیس بیس تیس چالیس پچاس ساٹھ ستر اسی نوے سو ہزار لاکھ"
        " کروڑ",
        "uz": "nol bir ikki uch to'rt to‘rt to’rt toʻrt besh olti yetti sakkiz to'qqiz"
        " to‘qqiz to’qqiz toʻqqiz o'n o‘n o’n oʻn yigirma o'ttiz o‘ttiz o’ttiz oʻttiz"
        " qirq ellik oltmish yetmish sakson to'qson to‘qson to’qson toʻqson yuz ming"
        " million",
        "vi": "không một mốt hai ba bốn tư năm lăm sáu bảy tám chín mười mươi trăm nghìn ngàn"
        " triệu",
        "zh": "〇 零 一 幺 二 两 三 四 五 六 七 八 九 十 百 千 万 亿",
    }
)
"""By primary language. Also the words that repeat a digit ("double"), where people use them."""

WRITTEN_TOGETHER: Mapping[str, str] = MappingProxyType(
    {
        "da": "og",
        "de": "und",
        "et": "",
        "fi": "",
        "hu": "",
        "hy": "",
        "it": "",
        "nl": "en|ën",
        "no": "og",
        "sk": "",
        "sl": "in",
        "sv": "",
        "tr": "",
        "ja": "",
        "ka": "",
        "ko": "",
        "ml": "",
        "my": "",
        "th": "",
        "zh": "",
    }
)
"""Languages whose numbers have their words one after the other without a space, and what may stand
between two: einundzwanzig, zweihundertfünf."""

WITHOUT_SPACES = frozenset({"ja", "my", "th", "zh"})
"""Here no space stands before a number, either."""
